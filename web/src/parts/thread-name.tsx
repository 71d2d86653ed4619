import { Link } from 'wouter'
import type { ThreadTableQuery } from '../../generated/operations.js'
import { line } from '../format/text.js'
import { threadLink } from './thread-link.js'
import { hasName, threadTitle } from './thread-title.js'

type Thread = ThreadTableQuery['threads']['edges'][number]['node']

/** The name of a thread, else its first message, else its id; leads to it. */
export const ThreadName = ({
  thread,
}: {
  thread: Pick<Thread, 'name' | 'firstMessage' | 'id'>
}) => {
  const title = threadTitle(thread)
  return (
    <Link href={threadLink(thread.id)}>
      {hasName(thread) ? (
        <bdi title={line(thread.name, 2000)}>{title}</bdi>
      ) : title !== '' ? (
        <bdi className="soft" style={{ fontStyle: 'italic' }}>
          {title}
        </bdi>
      ) : (
        <bdi className="quiet mono">{line(thread.id)}</bdi>
      )}
    </Link>
  )
}
