import { useState } from 'react'
import { Link } from 'wouter'
import {
  ThreadTableDocument,
  type ThreadTableQuery,
  WebDeleteThreadDocument,
} from '../../../generated/operations.js'
import { segment } from '../../address/segment.js'
import { useMayWrite } from '../../data/project.js'
import { useChange } from '../../data/use-data.js'
import { THREAD_FIELDS } from '../../filter/fields.js'
import { count, plural } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import type { ListConfig } from '../../list/list-config.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { ErrorMark, Scores, Tags, Text, Time } from '../../table/cells.js'
import type { Column } from '../../table/table.js'
import { Dialog } from '../../ui/dialog.js'
import { useToast } from '../../ui/toasts.js'

export type ThreadRow = ThreadTableQuery['threads']['edges'][number]['node']

const threadLink = (id: string) => `/threads/${segment(id)}`

export const ThreadName = ({
  thread,
}: {
  thread: Pick<ThreadRow, 'name' | 'firstMessage' | 'id'>
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

export const THREAD_COLUMNS: readonly Column<ThreadRow>[] = [
  {
    id: 'errors',
    title: 'Err',
    width: 56,
    cell: ({ errorCount }) => <ErrorMark count={errorCount} />,
    isBlank: ({ errorCount }) => errorCount === 0,
  },
  { id: 'name', title: 'Name', isMain: true, cell: (thread) => <ThreadName thread={thread} /> },
  {
    id: 'user',
    title: 'User',
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
    width: 116,
    orderBy: 'createdAt',
    cell: ({ createdAt }) => <Time at={createdAt} />,
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
    width: 64,
    align: 'right',
    unit: 'steps',
    cell: ({ stepCount }) => count(stepCount),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: 84,
    align: 'right',
    orderBy: 'tokenCount',
    isBlank: ({ tokenCount }) => tokenCount === null,
    unit: 'tok',
    cell: ({ tokenCount }) => count(tokenCount),
  },
  {
    id: 'scores',
    title: 'Scores',
    width: 168,
    isBlank: ({ scores }) => scores.length === 0,
    cell: ({ scores }) => <Scores scores={scores} />,
  },
  {
    id: 'tags',
    drops: 2,
    title: 'Tags',
    width: 140,
    isBlank: ({ tags }) => !tags?.length,
    cell: ({ tags }) => <Tags tags={tags} />,
  },
  {
    id: 'environment',
    drops: 1,
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
  noun: ['thread', 'threads'],
  fields: THREAD_FIELDS,
  columns: THREAD_COLUMNS,
  document: ThreadTableDocument as ListConfig<ThreadTableQuery, ThreadRow>['document'],
  pick,
  keyOf,
  hrefOf,
  hasEnvironment: true,
  placeholder: 'duration>30 error:any user:ada@example.org',
}

export const ThreadsPage = () => {
  const mayWrite = useMayWrite()
  return (
    <ListPage<ThreadTableQuery, ThreadRow>
      {...THREAD_LIST}
      empty={<EmptyHint what="threads" />}
      actions={
        mayWrite ? (chosen, done) => <DeleteThreads threads={chosen} onDone={done} /> : undefined
      }
    />
  )
}

const DeleteThreads = ({
  threads,
  onDone,
}: {
  threads: readonly ThreadRow[]
  onDone: () => void
}) => {
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const remove = useChange(WebDeleteThreadDocument)
  const say = useToast()
  return (
    <>
      <button type="button" className="button danger" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && (
        <Dialog
          title={`Delete ${plural(threads.length, 'thread')}?`}
          onClose={() => setAsked(false)}
        >
          <p>
            Their steps, scores and files go with them. Copies in datasets stay. This can't be
            undone.
          </p>
          <div className="row" style={{ marginTop: 12 }}>
            <button
              type="button"
              className="button danger"
              disabled={isBusy}
              onClick={async () => {
                setBusy(true)
                let done = 0
                try {
                  for (const { id } of threads) {
                    await remove({ id })
                    done++
                  }
                } catch (error) {
                  say(`${(error as Error).message} ${threads.length - done} are left.`)
                }
                say(`${plural(done, 'thread')} deleted.`)
                setAsked(false)
                onDone()
              }}
            >
              Delete
            </button>
            <button type="button" className="button" onClick={() => setAsked(false)}>
              Keep
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}
