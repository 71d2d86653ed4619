import { Link } from 'wouter'
import { ThreadTableDocument, type ThreadTableQuery } from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { THREAD_LANGUAGE } from '../../filter/fields.js'
import { atLeast } from '../../format/money.js'
import { count, nounOf } from '../../format/number.js'
import { duration } from '../../format/time.js'
import type { ListConfig } from '../../list/list-config.js'
import { threadLink } from '../../parts/thread-link.js'
import { ThreadName } from '../../parts/thread-name.js'
import { hasName } from '../../parts/thread-title.js'
import { ErrorMark, Scores, Started, Tags, Text } from '../../table/cells.js'
import { type Column, MOMENT_WIDTH } from '../../table/table.js'

export type ThreadRow = ThreadTableQuery['threads']['edges'][number]['node']

/** Returns true if a thread's first message is missing, or is its name already. */
const saysNoMore = (thread: ThreadRow): boolean =>
  !thread.firstMessage || !hasName(thread) || thread.firstMessage.startsWith(thread.name ?? '')

export const THREAD_COLUMNS: readonly Column<ThreadRow>[] = [
  {
    id: 'errors',
    title: 'Err',
    width: 56,
    cell: ({ errorCount, firstError }) => <ErrorMark count={errorCount} text={firstError} />,
    isBlank: ({ errorCount }) => errorCount === 0,
  },
  { id: 'name', title: 'Name', isMain: true, cell: (thread) => <ThreadName thread={thread} /> },
  {
    id: 'first',
    title: 'First message',
    width: 220,
    drops: 4,
    isBlank: () => true,
    cell: (thread) => (
      <Text value={saysNoMore(thread) ? null : thread.firstMessage} className="soft" />
    ),
  },
  {
    id: 'last',
    title: 'Last message',
    width: 184,
    isLine: true,
    isBlank: ({ lastMessage }) => !lastMessage,
    cell: ({ lastMessage }) => <Text value={lastMessage} className="soft" />,
  },
  {
    id: 'firstError',
    title: 'First error',
    width: 200,
    drops: 2,
    isLine: true,
    isBlank: ({ firstError }) => !firstError,
    cell: ({ firstError }) => <Text value={firstError} className="bad" />,
  },
  {
    id: 'user',
    title: 'User',
    drops: 1,
    width: 140,
    orderBy: 'participant',
    isBlank: ({ participant }) => participant === null,
    cell: ({ participant }) =>
      participant === null ? (
        <span className="quiet">–</span>
      ) : (
        <Link href={`/users/${segment(participant.id)}`}>
          <Text value={participant.identifier} />
        </Link>
      ),
  },
  {
    id: 'started',
    title: 'Started',
    width: MOMENT_WIDTH,
    orderBy: 'startedAt',
    cell: ({ startedAt, createdAt }) => <Started at={startedAt} arrived={createdAt} />,
  },
  {
    id: 'duration',
    title: 'Dur.',
    width: 92,
    align: 'right',
    orderBy: 'duration',
    isBlank: (thread) => thread.duration === null,
    cell: (thread) => duration(thread.duration === null ? null : thread.duration * 1000),
  },
  {
    id: 'steps',
    title: 'Steps',
    drops: 1,
    width: 64,
    align: 'right',
    unit: ({ stepCount }) => nounOf(stepCount, 'step'),
    cell: ({ stepCount }) => count(stepCount),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 80,
    align: 'right',
    orderBy: 'tokenCount',
    // A thread without calls of models has a sum of 0, which says nothing.
    isBlank: ({ tokenCount }) => !tokenCount,
    unit: 'tok',
    cell: ({ tokenCount }) => count(tokenCount || null),
  },
  {
    id: 'cost',
    title: 'Cost',
    width: 84,
    align: 'right',
    orderBy: 'cost',
    isBlank: (row) => row.cost === null,
    cell: (row) => atLeast(row.cost, (row.unpricedCount ?? 0) > 0),
  },
  {
    id: 'scores',
    title: 'Scores',
    drops: 2,
    width: 168,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) => <Scores scores={scores} />,
  },
  {
    id: 'tags',
    drops: 3,
    title: 'Tags',
    width: 140,
    isBlank: ({ tags }) => !tags?.length,
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    id: 'environment',
    drops: 3,
    title: 'Env',
    width: 84,
    isBlank: () => true,
    cell: ({ environment }) => <Text value={environment} />,
  },
]

const keyOf = ({ id }: ThreadRow) => id

const hrefOf = ({ id }: ThreadRow) => threadLink(id)

const pick = (data: ThreadTableQuery) => data.threads

export const THREAD_LIST: Omit<ListConfig<ThreadTableQuery, ThreadRow>, 'empty'> = {
  title: 'Threads',
  exported: 'threads',
  noun: ['thread', 'threads'],
  language: THREAD_LANGUAGE,
  subject: 'THREADS',
  columns: THREAD_COLUMNS,
  document: ThreadTableDocument as ListConfig<ThreadTableQuery, ThreadRow>['document'],
  pick,
  keyOf,
  hrefOf,
  startOf: ({ startedAt, createdAt }) => startedAt ?? createdAt,
  hasEnvironment: true,
  placeholder: 'duration>30 error:any user:ada@example.org',
}
