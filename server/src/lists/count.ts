import type { Database } from '../database/database.js'
import { wasDistributedLately } from '../database/distribution/cluster.js'
import { cast } from '../database/rows/columns.js'
import { type Sql, select, sql } from '../database/rows/sql.js'
import { inTime } from './gather.js'
import { ownOrder } from './listing.js'
import { isAnswered, planOf, type Query } from './plan.js'
import { search } from './search.js'
import type { SearchLimits, SearchSizes } from './sizes.js'

const EXACT_COUNT = 10_000
/** Rows that are counted sooner than what is measured ahead is read. */
const FEW = 1000
/** Time of counting all rows on the servers of a distributed database. */
const COUNT_MS = 250
/** A filtered count examines fewer rows than a page may, as it is requested together with each page. */
const MAX_EXAMINED = 100_000

/**
 * Counts exactly up to a limit, and where `ahead` knows the number. Beyond it, and where matching rows are too far apart to be
 * counted, it estimates, as counting would read every row.
 */
export const count = async (
  db: Database,
  query: Query,
  { searchRows, searchMs }: SearchLimits,
  sizes: SearchSizes,
  ahead: () => Promise<number | undefined> = async () => undefined,
): Promise<number> => {
  const { listing } = query
  const byIndex = inIndexOrder(query)
  const plan = planOf(byIndex)
  const rows = sql`SELECT 1 FROM ${listing.table} ${listing.alias} WHERE ${sql.join(plan.scope, sql` AND `)}`
  const isByIndex = isAnswered(plan)
  const few = isByIndex ? await countUpTo(db, rows, FEW + 1) : undefined
  if (few !== undefined && few <= FEW) return few
  const known = await ahead()
  if (known !== undefined) return known
  if (isByIndex) {
    if (await wasDistributedLately(db)) {
      const all = await countOnServers(db, rows)
      if (all !== undefined) return all
    }
    const counted = await countUpTo(db, rows, EXACT_COUNT + 1)
    return counted <= EXACT_COUNT ? counted : Math.max(counted, await estimate(db, rows))
  }
  const { positions, examined, isComplete } = await search(
    db,
    byIndex,
    plan,
    EXACT_COUNT + 1,
    { searchRows: Math.min(searchRows, MAX_EXAMINED), searchMs },
    sizes,
  )
  if (isComplete && positions.length <= EXACT_COUNT) return positions.length
  // Assumes that the same share of all rows passes as of the examined ones.
  const share = positions.length / Math.max(examined, 1)
  return Math.max(positions.length, Math.round(share * (await estimate(db, rows))))
}

const number = select({ n: cast('bigint', sql`count(*)`) })

const countUpTo = async (db: Database, rows: Sql, most: number): Promise<number> => {
  const some = sql`${rows} LIMIT ${most}`
  // There, a subquery with a limit is a statement of its own, whose rows are stored for the one that counts them.
  if (await wasDistributedLately(db)) return (await some.execute(db)).rows.length
  const { rows: counts } = await sql`SELECT ${number} FROM (${some}) AS some_rows`.execute(db)
  return counts[0]?.n ?? 0
}

/**
 * Counts all rows, each server its own, and sends nothing but numbers: with a limit, each would send as many rows. Returns undefined
 * when that takes long.
 */
const countOnServers = (db: Database, rows: Sql): Promise<number | undefined> =>
  inTime(
    Number.POSITIVE_INFINITY,
    async () => {
      const { rows: counts } = await sql`SELECT ${number} FROM (${rows}) AS all_rows`.execute(db)
      return counts[0]?.n ?? 0
    },
    COUNT_MS,
  )

/** The order does not matter for a count: takes that of a range of times, or else that of the indexes of fields. */
const inIndexOrder = (query: Query): Query => {
  const { listing, criteria } = query
  const bounded = criteria.flatMap((criterion) =>
    'indexHint' in criterion ? [criterion.indexHint?.bounds] : [],
  )
  const times = [listing.indexOrder ?? 'createdAt', 'createdAt']
  const column = times.find((one) => bounded.includes(one)) ?? times[0] ?? 'createdAt'
  return { ...query, column, order: ownOrder(listing, column) }
}

const estimate = async (db: Database, rows: Sql): Promise<number> => {
  const explained = await sql`EXPLAIN (FORMAT JSON) ${rows}`.execute(db)
  const [plan] = explained.rows as { 'QUERY PLAN': [{ Plan: Plan }] }[]
  return plan === undefined ? 0 : Math.round(expectedRows(plan['QUERY PLAN'][0].Plan))
}

/** The answer of `EXPLAIN` to a statement. */
export interface Plan {
  'Plan Rows': number
  /** The work of each server of a distributed database. */
  'Distributed Query'?: {
    Job: { 'Task Count': number; Tasks: { 'Remote Plan': [{ Plan: Plan }][] }[] }
  }
}

/**
 * Returns the number of rows that a plan expects. A distributed database expects a fixed number by itself, and shows the
 * plan of one of its tasks; the others have about as many rows, as the hash of their ids divides them.
 */
export const expectedRows = (plan: Plan): number => {
  const job = plan['Distributed Query']?.Job
  const task = job?.Tasks[0]?.['Remote Plan'][0]?.[0].Plan
  return job === undefined || task === undefined
    ? plan['Plan Rows']
    : job['Task Count'] * expectedRows(task)
}
