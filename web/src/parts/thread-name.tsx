import { Link } from 'wouter'
import type { ThreadTableQuery } from '../../generated/operations.js'
import { line } from '../format/text.js'
import { threadLink } from './thread-link.js'

type Thread = ThreadTableQuery['threads']['edges'][number]['node']

/** The name of a thread, else its first message, else its id; leads to it. */
export const ThreadName = ({
  thread,
}: {
  thread: Pick<Thread, 'name' | 'firstMessage' | 'id'>
}) => (
  <Link href={threadLink(thread.id)}>
    {thread.name ? (
      <bdi title={line(thread.name, 2000)}>{line(thread.name)}</bdi>
    ) : thread.firstMessage ? (
      <bdi className="soft" style={{ fontStyle: 'italic' }}>
        {line(thread.firstMessage)}
      </bdi>
    ) : (
      <bdi className="quiet mono">{line(thread.id)}</bdi>
    )}
  </Link>
)
