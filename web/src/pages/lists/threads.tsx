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
      actions={
        mayWrite
          ? (scope, onDone) => {
              const rest = { scope, noun, onDone }
              return (
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
                      Their steps, scores and files go with them. Copies in datasets stay. This
                      can't be undone.
                    </p>
                  </BulkDelete>
                </>
              )
            }
          : undefined
      }
    />
  )
}
