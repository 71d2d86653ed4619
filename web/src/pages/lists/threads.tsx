import { Link } from 'wouter'
import {
  BulkThreadTagsDocument,
  CopyThreadDocument,
  type ThreadTableQuery,
  WebDeleteThreadDocument,
} from '../../../generated/operations.js'
import { useMayWrite } from '../../data/project.js'
import { change } from '../../data/use-data.js'
import { ListPage } from '../../list/list-page.js'
import { EmptyHint } from '../../parts/empty-hint.js'
import { besideLink } from '../../parts/thread-link.js'
import { BulkDataset } from './actions/bulk-dataset.js'
import { BulkDelete } from './actions/bulk-delete.js'
import { BulkScore } from './actions/bulk-score.js'
import { BulkTags } from './actions/bulk-tags.js'
import { THREAD_LIST, type ThreadRow } from './thread-list.js'

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
                <BulkTags
                  {...rest}
                  write={(id, tags) => change(BulkThreadTagsDocument, { id, tags: [...tags] })}
                />
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
