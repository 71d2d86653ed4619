import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import { deleteBehind, deleteKeys, tablesToEmpty } from '../../storage/erasure/project.js'
import type { Key } from '../../storage/moving/rows.js'
import { OPERATOR } from '../audit/entry.js'
import { noteInRun } from '../audit/runs.js'
import { PortionSize } from './portion-size.js'

/** Requests of other projects wait for a portion, on the embedded engine all of them. */
const PORTION = { most: 100, least: 10, shortMs: 15, longMs: 40 }
/** One run for all commands that delete a project: after an interruption the next one goes on with it. */
const RUN = 'deletion'
/** The nouns that the audit log counts. */
const COUNTED = new Set(['steps', 'threads', 'scores'])

/**
 * Deletes what a project has, its keys first, in small transactions, so that others get their turns in between. Leaves
 * tables of few rows, and rows that come meanwhile.
 *
 * @returns How many rows it has deleted, and false when the time was over before the end.
 */
export const emptyProject = async (
  db: Database,
  { id: projectId, name }: { id: string; name: string },
  budgetMs: number,
): Promise<{ isEmpty: boolean; rows: number }> => {
  const until = performance.now() + budgetMs
  const action = { action: 'DELETE_PROJECT', on: 'PROJECT', id: projectId, name } as const
  const run = { projectId, id: RUN, actor: OPERATOR, action }
  await inTransaction(db, async (transaction) => {
    const keys = await deleteKeys(transaction, projectId)
    await noteInRun(transaction, run, { keys })
  })
  let rows = 0
  for (const table of await tablesToEmpty(db)) {
    const size = new PortionSize(PORTION)
    let behind: Key | undefined
    do {
      if (performance.now() > until) return { isEmpty: false, rows }
      const begin = performance.now()
      const { count, reached } = await inTransaction(db, async (transaction) => {
        const deleted = await deleteBehind(transaction, projectId, table, behind, size.most)
        if (COUNTED.has(table.name))
          await noteInRun(transaction, run, { [table.name]: deleted.count })
        return deleted
      })
      rows += count
      if (count > 0) size.took(performance.now() - begin)
      behind = reached
    } while (behind !== undefined)
  }
  return { isEmpty: true, rows }
}
