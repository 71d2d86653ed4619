import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { select, sql } from '../database/rows/sql.js'
import { gatherContents, searchContents } from './contents/find.js'
import type { Position } from './cursor.js'
import type { Test, Value } from './fields.js'
import { gather, inTime, related } from './gather.js'
import {
  and,
  behind,
  directionOf,
  fromRows,
  linkedPosition,
  type Plan,
  positionOf,
  type Query,
  upTo,
} from './plan.js'
import type { Found, SearchLimits, SearchSizes } from './sizes.js'

/**
 * Finds the first rows of a query, in its order. It reads the list in windows and tests each row; when the matching
 * rows are too far apart, it tries the indexes of the conditions for one that few rows pass, and then reads only those.
 * A statement reads no more than a window, so that a search holds neither a connection nor the embedded database for
 * long.
 */
export const search = async (
  db: Database,
  query: Query,
  plan: Plan,
  need: number,
  { searchRows, searchMs }: SearchLimits,
  sizes: SearchSizes,
): Promise<Found> => {
  const deadline = performance.now() + searchMs
  const findCandidates = () =>
    inTime(deadline - performance.now(), async () => {
      const among = await fewest(db, query, plan, sizes.maxCandidates)
      return among === undefined ? undefined : gather(db, query, plan, among, need)
    })
  if (!query.order.isIndexed) {
    const sorted = () =>
      inTime(deadline - performance.now(), async () =>
        (await sizeOf(db, query, sizes.sorted)) <= sizes.sorted
          ? gather(db, query, plan, sql`true`, need)
          : undefined,
      )
    const all =
      (await findCandidates()) ??
      (await gatherContents(db, query, plan, need, searchRows, deadline)) ??
      (await sorted())
    return { positions: all ?? [], examined: sizes.sorted, isComplete: all !== undefined }
  }
  const positions: Position[] = []
  let examined = 0
  let { from } = query
  let isAsked = false
  // Relations are looked up for all rows of a window, each of which may have many.
  const first =
    plan.relations.length === 0 && plan.contained.length === 0
      ? sizes.firstWindow
      : Math.min(need * 4, sizes.firstWindow)
  let largest = sizes.largestWindow
  /** Four times as many rows, or fewer if these are enough for the rest: half as many again as the share so far tells. */
  const nextSize = (size: number) => {
    const found = positions.length
    const enough = found === 0 ? size * 4 : Math.ceil(((need - found) / found) * examined * 1.5)
    return Math.min(size * 4, Math.max(enough, first >> 2), largest)
  }
  for (let size = first; ; size = nextSize(size)) {
    const window = await inTime(
      deadline - performance.now(),
      () => readWindow(db, query, plan, from, size, need - positions.length),
      size > 1 ? sizes.windowMs : undefined,
    )
    if (window === undefined) {
      if (size <= 1 || performance.now() > deadline)
        return { positions, examined, isComplete: false }
      largest = Math.max(1, size >> 3)
      size = largest / 4
      continue
    }
    positions.push(...window.positions)
    examined += size
    if (positions.length >= need || window.end === undefined)
      return { positions: positions.slice(0, need), examined, isComplete: true }
    from = window.end
    if (examined === size && plan.contained.length > 0 && !isDense(positions.length, size)) {
      const walked = await searchContents(db, query, plan, need, searchRows, deadline)
      if (walked !== undefined) return walked
    }
    if (!isAsked && positions.length * sizes.probeAfterRows < need * examined) {
      isAsked = true
      const candidates = await findCandidates()
      if (candidates !== undefined) return { positions: candidates, examined, isComplete: true }
    }
    if (examined >= searchRows || performance.now() > deadline)
      return { positions, examined, isComplete: false }
  }
}

/** Rows that tell how frequent a text is, and the share of them from which on reading all rows is cheaper than an index. */
const TELLING_ROWS = 100
const DENSE_SHARE = 0.1

/** Returns true when so many rows of a window pass that the next ones fill the page. */
const isDense = (found: number, size: number): boolean =>
  size >= TELLING_ROWS && found >= size * DENSE_SHARE

/**
 * Tests the next rows of the list. `end` is the last of them; undefined when there are no more. The end of the window
 * is found first, by the index alone: then no other rows are read, whatever the tests need of them.
 */
const readWindow = async (
  db: Database,
  query: Query,
  plan: Plan,
  from: Position | undefined,
  size: number,
  need: number,
): Promise<{ positions: Position[]; end: Position | undefined }> => {
  const { listing, order } = query
  const direction = directionOf(query)
  const scope = [...plan.scope, ...behind(query, from)]
  const inOrder = sql`ORDER BY ${order.value} ${direction}, ${listing.id} ${direction}`
  const ends = await sql`
    SELECT ${select(positionOf(query))} FROM ${listing.table} ${listing.alias}
    WHERE ${and(scope)} ${inOrder} LIMIT 1 OFFSET ${sql.lit(size - 1)}`.execute(db)
  const end = ends.rows[0]
  // In a form that no index can use: a window is read by the order's index, however few rows the planner expects elsewhere.
  const tests = plan.tests.length === 0 ? [] : [sql`(${and(plan.tests)}) IS TRUE`]
  // With relations to look up, all rows of the window are read; else the database stops when it has enough.
  const most = plan.relations.length === 0 ? Math.min(need, size) : size
  const { rows } = await sql`
    SELECT ${linkedPosition(query, plan)} FROM ${listing.table} ${listing.alias}
    WHERE ${and([...scope, ...upTo(query, end), ...tests])} ${inOrder} LIMIT ${most}`.execute(db)
  return { positions: await related(plan, rows), end }
}

/**
 * Time for which indexes are tried together. PostgreSQL compares their entries, or reads the rows of one: how many these are,
 * nothing tells before.
 */
const TOGETHER_MS = 250

/**
 * Returns the candidates of the condition that the fewest rows pass by its index, if they are few; else those of all conditions
 * with an index together.
 */
const fewest = async (
  db: Database,
  query: Query,
  { indexHints, relations }: Plan,
  most: number,
): Promise<Test | undefined> => {
  let best: { test: Test; count: number } | undefined
  const offer = (values: readonly string[], testOf: (values: readonly string[]) => Test) => {
    if (values.length <= most && values.length < (best?.count ?? most + 1))
      best = { test: testOf(values), count: values.length }
  }
  const among = (column: Value) => (values: readonly string[]) =>
    sql`${column} = ANY(${values}::text[])`
  for (const { test } of indexHints) {
    const ids = await idsOf(db, query, test, most)
    if (ids !== undefined) offer(ids, among(query.listing.id))
  }
  for (const { candidates, isNegated, link, isAmong = among(link) } of relations) {
    const links = isNegated ? undefined : await candidates?.(most)
    if (links !== undefined) offer(links, isAmong)
  }
  if (best === undefined && indexHints.length > 1) {
    const all = sql`${and(indexHints.map(({ test }) => test))} /* in time */`
    const ids = await inTime(
      Number.POSITIVE_INFINITY,
      () => idsOf(db, query, all, most),
      TOGETHER_MS,
    )
    if (ids !== undefined) offer(ids, among(query.listing.id))
  }
  return best?.test
}

/** Returns the ids of the rows that pass a test, unless there are more than `most`. */
const idsOf = async (
  db: Database,
  query: Query,
  test: Test,
  most: number,
): Promise<string[] | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ id: query.listing.id })} ${fromRows(query)} AND ${test} LIMIT ${sql.lit(most + 1)}`.execute(
    db,
  )
  return rows.length > most ? undefined : rows.map(({ id }) => id)
}

/** Counts the rows of a list; returns one more than `most` when there are more. */
const sizeOf = async (db: Database, query: Query, most: number): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (SELECT 1 ${fromRows(query)} LIMIT ${sql.lit(most + 1)}) AS some_rows`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
