import { Link } from 'wouter'
import {
  BulkThreadTagsDocument,
  CopyThreadDocument,
  type ThreadTableQuery,
  ThreadTagsDocument,
  WebDeleteThreadDocument,
} from '../../../generated/operations.js'
import { useMayWrite } from '../../data/project.js'
import { change, read } from '../../data/use-data.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { besideLink } from '../../parts/thread-link.js'
import { BulkDataset } from './actions/bulk-dataset.js'
import { BulkDelete } from './actions/bulk-delete.js'
import { BulkScore } from './actions/bulk-score.js'
import { BulkTags } from './actions/bulk-tags.js'
import { THREAD_LIST, type ThreadRow } from './thread-list.js'

const STORED_TAGS = {
  read: async (id: string) => (await read(ThreadTagsDocument, { id })).threadDetail?.tags,
  write: (id: string, tags: readonly string[]) =>
    change(BulkThreadTagsDocument, { id, tags: [...tags] }),
}

export const ThreadsPage = () => {
  const mayWrite = useMayWrite()
  const { noun } = THREAD_LIST
  return (
    <ListPage<ThreadTableQuery, ThreadRow>
      {...THREAD_LIST}
      empty={<EmptyHint what="threads" />}
      actions={(scope, onDone) => {
        const rest = { scope, noun, onDone }
        return (
          <>
            <CompareThreads threads={scope.rows} />
            {mayWrite && (
              <>
                <BulkTags {...rest} stored={STORED_TAGS} />
                <BulkScore {...rest} subject="threadId" />
                <BulkDataset
                  {...rest}
                  ways={[
                    {
                      contents: 'the conversation, with its last answer as the expected output',
                      type: 'key_value',
                      copy: async (datasetId, { id }) =>
                        (await change(CopyThreadDocument, { datasetId, threadId: id }))
                          .addThreadToDataset?.id,
                    },
                  ]}
                />
                <BulkDelete {...rest} remove={(id) => change(WebDeleteThreadDocument, { id })}>
                  <p>
                    Their steps, scores and files go with them. Copies in datasets stay. This can't
                    be undone.
                  </p>
                </BulkDelete>
              </>
            )}
          </>
        )
      }}
    />
  )
}

const CompareThreads = ({ threads: [one, other, ...more] }: { threads: readonly ThreadRow[] }) =>
  one === undefined || other === undefined || more.length > 0 ? (
    <button type="button" className="button" disabled title="Select two threads">
      Compare two
    </button>
  ) : (
    <Link href={besideLink(one.id, other.id)} className="button">
      Compare
    </Link>
  )
