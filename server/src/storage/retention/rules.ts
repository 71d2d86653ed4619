import type { Database } from '../../database/database.js'
import { inSequence } from '../../database/distribution/cluster.js'
import { type RowOf, select, sql } from '../../database/rows/sql.js'
import { o } from '../../database/rows/tables.js'
import { assignments } from '../../database/rows/writes.js'
import { lockAlone, lockShared, reserve } from '../../database/transactions/locks.js'
import type { Instant } from '../../kernel/instant.js'

/** Data that a project keeps whatever its age. */
export type RetentionException = 'scored' | 'scoredByPeople' | 'inDataset'

/** The days for which an environment's data is kept; with null, that of all environments without a rule of their own. */
export interface RetentionRule {
  environment: string | null
  days: number
}

/** How long a project keeps what was recorded. */
export interface Retention {
  rules: RetentionRule[]
  keep: RetentionException[]
  /** True when the figures of what is deleted are kept for metrics. */
  keepMetrics?: boolean
}

/** The number of rows that were deleted because of their age so far, and when the last ones were. */
export interface Deletions {
  threads: number
  steps: number
  at: Instant | null
}

export const NO_DELETIONS: Deletions = { threads: 0, steps: 0, at: null }

const columns = select({
  projectId: o.id,
  retention: o.retention.narrow<Retention | null>(),
  deletions: o.retentionDeletions.narrow<Deletions | null>(),
})
export type RetentionRow = RowOf<typeof columns>

export const findRetention = async (
  db: Database,
  projectId: string,
): Promise<RetentionRow | undefined> => {
  const { rows } = await sql`SELECT ${columns} FROM projects o WHERE o.id = ${projectId}`.execute(
    db,
  )
  return rows[0]
}

/** Holds for projects that are whole: of one that is being imported, steps come long after their threads. */
const isWhole = sql`${o.isImportComplete} IS NOT FALSE`

/** Lists the projects that keep what was recorded for a time only. */
export const findRetentions = async (db: Database): Promise<RetentionRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM projects o WHERE o.retention IS NOT NULL AND ${isWhole} ORDER BY o.id`.execute(
    db,
  )
  return rows
}

export const updateRetention = async (
  db: Database,
  projectId: string,
  retention: Retention | null,
): Promise<void> => {
  await sql`UPDATE projects SET ${assignments('projects', { retention })} WHERE id = ${projectId}`.execute(
    db,
  )
}

/**
 * Makes other processes leave a project's old data alone until the transaction ends, and returns its rules as they are
 * now; undefined when another one has it.
 */
export const reserveRetention = async (
  db: Database,
  projectId: string,
): Promise<RetentionRow | undefined> => {
  await inSequence(db)
  if (!(await reserve(db, `retention ${projectId}`))) return undefined
  const projects = await sql`
    SELECT ${columns} FROM projects o WHERE o.id = ${projectId} AND ${isWhole}`.execute(db)
  return projects.rows[0]
}

const ALL = ['all']

/**
 * Lets no old data of a project be deleted until the transaction ends, which makes an exception of some: a deletion that
 * has looked for exceptions already would take them along. Has to come before its other locks.
 */
export const holdOldData = (db: Database, projectId: string): Promise<void> =>
  lockShared(db, 'old data', projectId, ALL)

/** Waits for those who make exceptions, and lets no others begin to until the transaction ends. */
export const claimOldData = (db: Database, projectId: string): Promise<void> =>
  lockAlone(db, 'old data', projectId, ALL)

/** Adds to the numbers of deleted rows. Needs the transaction that has deleted them, and the reservation. */
export const countDeletions = async (
  db: Database,
  projectId: string,
  retentionDeletions: Deletions,
): Promise<void> => {
  await sql`UPDATE projects SET ${assignments('projects', { retentionDeletions })} WHERE id = ${projectId}`.execute(
    db,
  )
}
