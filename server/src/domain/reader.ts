import type { Database } from '../database/database.js'
import type { Caller } from '../kernel/caller.js'

/**
 * Reads rows that belong to other rows, for all rows of a page at once; they need no rule beyond staying in the
 * caller's project.
 */
export const createReader =
  (db: Database) =>
  ({ projectId }: Caller) =>
  <Rest extends readonly unknown[], Rows>(
    find: (db: Database, projectId: string, ...rest: Rest) => Promise<Rows>,
    ...rest: Rest
  ): Promise<Rows> =>
    find(db, projectId, ...rest)
