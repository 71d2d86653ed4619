import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { notFound } from '../../kernel/errors.js'
import { keepDatasetItems } from '../../storage/datasets.js'

/** Rejects results on items of datasets that do not exist, and keeps the items until the transaction ends. */
export const keepItems = async (
  db: Database,
  { projectId }: Caller,
  results: readonly { datasetItemId: string | null }[],
): Promise<void> => {
  const ids = [...new Set(results.flatMap(({ datasetItemId }) => datasetItemId ?? []))]
  if (ids.length === 0) return
  const kept = new Set(await keepDatasetItems(db, projectId, ids))
  for (const id of ids) if (!kept.has(id)) throw notFound('dataset item', id)
}
