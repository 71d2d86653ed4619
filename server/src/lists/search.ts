import type { Database } from '../database/database.js'
import { isTooSlow } from '../database/failures.js'
import { cast } from '../database/rows/columns.js'
import { type RowOf, select, sql } from '../database/rows/sql.js'
import { withTimeLimit } from '../database/time-limit.js'
import { hashesOf } from './contents/candidates.js'
import { type Hit, walkContents } from './contents/walk.js'
import type { Position } from './cursor.js'
import type { Criterion, IndexHint, Relation, Test, Value } from './fields.js'
import type { Listing, Order } from './listing.js'

/** The number of rows and the time after which a search gives up. */
export interface SearchLimits {
  searchRows: number
  searchMs: number
}

/** The portions in which a search reads. */
export interface SearchSizes {
  /** Rows that the first statement reads: few, as most pages are full soon. */
  firstWindow: number
  /** Rows that a statement reads at most. */
  largestWindow: number
  /** Rows after which other indexes may be tried; while the page fills quickly, reading on is cheaper. */
  probeAfterRows: number
  /** Up to so many candidates are read all at once and sorted. */
  maxCandidates: number
  /** Number of rows that are sorted for an order without an index. */
  sorted: number
  /** Time after which a statement is ended, and fewer rows are tried, as theirs may be large. */
  windowMs?: number
}

export const SEARCH_SIZES: SearchSizes = {
  firstWindow: 1000,
  largestWindow: 8000,
  probeAfterRows: 40_000,
  maxCandidates: 5000,
  sorted: 100_000,
  windowMs: 1000,
}

/** Steps that are tested, and the time that it may take, to find the few that a condition of another list leads to. */
const MAX_CANDIDATES_ROWS = 50_000
const MAX_CANDIDATES_MS = 3000

/** The rows to find, and where to start. */
export interface Query {
  listing: Listing
  projectId: string
  column: string
  order: Order
  isAscending: boolean
  /** Rows are read from after this one … */
  from?: Position | undefined
  /** … up to before this one. */
  to?: Position | undefined
  criteria: readonly Criterion[]
}

export interface Found {
  positions: Position[]
  examined: number
  /** False when the search gave up before it had enough. */
  isComplete: boolean
}

/** A row's position, and the columns by which the relations of its search refer to it. */
type LinkedPosition = RowOf<ReturnType<typeof linkedPosition>>

/** A query in parts: conditions that an index answers in the order of the list, and conditions to test for each row. */
export interface Plan {
  /** Read by an index, in order. */
  scope: Test[]
  tests: Test[]
  relations: Relation[]
  /** Indexes that the scope does not use. */
  indexHints: IndexHint[]
  /** Texts that the contents of all rows have. */
  contained: string[]
}

export const planOf = (query: Query): Plan => {
  const { listing, projectId, column, criteria } = query
  const { indexOrder = 'createdAt' } = listing
  const plan: Plan = {
    scope: [
      sql`${listing.projectId} = ${projectId}`,
      ...(listing.always === undefined ? [] : [listing.always]),
      ...before(query, query.to),
    ],
    tests: [],
    relations: [],
    indexHints: [],
    contained: [],
  }
  let isIndexed = false
  for (const criterion of criteria) {
    if ('relation' in criterion) {
      plan.relations.push(criterion.relation)
      continue
    }
    const { test, indexHint, contained } = criterion
    if (contained !== undefined) plan.contained.push(contained)
    const indexHints =
      indexHint !== undefined &&
      (indexHint.bounds === column ||
        (indexHint.isInOrder === true && column === indexOrder && !isIndexed))
    if (indexHint !== undefined && indexHints) {
      plan.scope.push(indexHint.test)
      isIndexed ||= indexHint.bounds === undefined
    } else if (indexHint !== undefined) plan.indexHints.push(indexHint)
    if (!(indexHints && indexHint?.isExact)) plan.tests.push(test)
  }
  return plan
}

/** Returns true when an index answers all of a query, so that no row needs a test. */
export const isAnswered = ({ tests, relations }: Plan): boolean =>
  tests.length === 0 && relations.length === 0

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
  for (let size = first; ; size = Math.min(size * 4, largest)) {
    const leftMs = deadline - performance.now()
    const windowMs = size > 1 ? Math.min(sizes.windowMs ?? leftMs, leftMs) : leftMs
    const window = await inTime(windowMs, () =>
      readWindow(db, query, plan, from, size, need - positions.length),
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
    if (size === first && plan.contained.length > 0 && !isDense(positions.length, size)) {
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

/** Orders in which the index of contents knows the times of its blocks. */
const TIMES: Record<string, 'created' | 'started'> = { createdAt: 'created', startedAt: 'started' }

/** Finds rows by the index of contents; undefined when it cannot tell which rows may contain the texts. */
const searchContents = async (
  db: Database,
  query: Query,
  plan: Plan,
  need: number,
  mostRows: number,
  deadline: number,
): Promise<Found | undefined> => {
  const { column, isAscending, projectId, from } = query
  const hashes = await hashesOf(db, projectId, plan.contained)
  if (hashes === undefined) return undefined
  const times = Object.hasOwn(TIMES, column) ? TIMES[column] : undefined
  const { texts } = query.listing
  const walk = { times, isAscending, from: times && from && (await microsOf(db, from)), texts }
  const read = (ids: readonly string[]) => readSome(db, query, plan, ids, deadline)
  const limits = { need, mostRows, deadline }
  const { hits, ...rest } = await walkContents(db, projectId, hashes, walk, limits, read)
  return { positions: hits.map(({ key, id }) => ({ key, id })), ...rest }
}

/** Finds rows by the index of contents for an order that it does not know. */
const gatherContents = async (
  db: Database,
  query: Query,
  plan: Plan,
  need: number,
  mostRows: number,
  deadline: number,
): Promise<Position[] | undefined> => {
  if (plan.contained.length === 0) return undefined
  const found = await searchContents(db, query, plan, SEARCH_SIZES.sorted + 1, mostRows, deadline)
  if (found === undefined || !found.isComplete || found.positions.length > SEARCH_SIZES.sorted)
    return undefined
  return inTime(deadline - performance.now(), () => {
    const ids = found.positions.map(({ id }) => id)
    return gather(db, query, plan, sql`${query.listing.id} = ANY(${ids}::text[])`, need)
  })
}

const micros = (time: Value) => cast('float8', sql`extract(epoch FROM ${time}) * 1000000`)

const microsOf = async (db: Database, { key }: Position): Promise<number | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ time: micros(sql`${key}::timestamptz`) })}`.execute(db)
  return rows[0]?.time
}

/** Returns those of some rows that pass. Reads fewer at once where they are large; undefined when the time is over. */
const readSome = async (
  db: Database,
  query: Query,
  plan: Plan,
  ids: readonly string[],
  deadline: number,
): Promise<Hit[] | undefined> => {
  const { listing, order } = query
  const tests = [...plan.scope, ...behind(query, query.from), ...plan.tests]
  const hits: Hit[] = []
  let size = ids.length
  for (let at = 0; at < ids.length; ) {
    const leftMs = deadline - performance.now()
    const some = ids.slice(at, at + size)
    const rows = await inTime(
      size > 1 ? Math.min(SEARCH_SIZES.windowMs ?? leftMs, leftMs) : leftMs,
      async () => {
        const time = order.type === 'timestamptz' ? micros(order.value) : cast('float8', sql`0`)
        const { rows } = await sql`
          SELECT ${linkedPosition(query, plan)}, ${select({ time })} ${fromRows(query)}
            AND ${listing.id} = ANY(${some}::text[]) AND (${and(tests)}) IS TRUE`.execute(db)
        const times = new Map(rows.map(({ id, time }) => [id, time]))
        return (await related(plan, rows)).map(({ key, id }) => ({
          key,
          id,
          micros: times.get(id) ?? 0,
        }))
      },
    )
    if (rows === undefined) {
      if (size <= 1 || performance.now() > deadline) return undefined
      size = Math.max(1, size >> 3)
      continue
    }
    hits.push(...rows)
    at += some.length
  }
  return hits
}

/** Returns the ids of the rows of a list whose contents have a text and pass; undefined when they are too many to tell. */
export const findContaining = async (
  db: Database,
  projectId: string,
  listing: Listing,
  criterion: Criterion,
  most: number,
): Promise<readonly string[] | undefined> => {
  const order = listing.orders.createdAt
  const query = { listing, projectId, column: '', order, isAscending: false, criteria: [criterion] }
  const deadline = performance.now() + MAX_CANDIDATES_MS
  const plan = planOf(query)
  const found = await searchContents(db, query, plan, most + 1, MAX_CANDIDATES_ROWS, deadline)
  return found?.isComplete && found.positions.length <= most
    ? found.positions.map(({ id }) => id)
    : undefined
}

/** Returns the rows of a query with some ids, in the order of the query. */
export const findAmong = (
  db: Database,
  query: Query,
  ids: readonly string[],
): Promise<Position[]> =>
  gather(db, query, planOf(query), sql`${query.listing.id} = ANY(${ids}::text[])`, ids.length)

/** Resolves to the result, or to undefined when it exceeds its time. */
export const inTime = async <Result>(
  leftMs: number,
  work: () => Promise<Result>,
): Promise<Result | undefined> => {
  try {
    return await withTimeLimit(leftMs, work)
  } catch (error) {
    if (isTooSlow(error)) return undefined
    throw error
  }
}

const and = (tests: readonly Test[]) =>
  tests.length === 0 ? sql`true` : sql.join(tests, sql` AND `)

/** Compares a row's position with another one. */
const compared = (
  { order, listing }: Query,
  operator: '<' | '<=' | '>' | '>=',
  position: Position,
): Test =>
  sql`(${order.value}, ${listing.id}) ${sql.raw(operator)} (${position.key}::${sql.raw(order.type)}, ${position.id}::text)`

/** Selects the rows after a position, in the order of the query. */
export const behind = (query: Query, position: Position | undefined): Test[] =>
  position === undefined ? [] : [compared(query, query.isAscending ? '>' : '<', position)]

/** Selects the rows before a position, in the order of the query. */
const before = (query: Query, position: Position | undefined): Test[] =>
  position === undefined ? [] : [compared(query, query.isAscending ? '<' : '>', position)]

/** Selects the rows up to a position, which is included. */
const upTo = (query: Query, position: Position | undefined): Test[] =>
  position === undefined ? [] : [compared(query, query.isAscending ? '<=' : '>=', position)]

const directionOf = ({ isAscending }: Query) => (isAscending ? sql`ASC` : sql`DESC`)

const fromRows = ({ listing, projectId }: Query) =>
  sql`FROM ${listing.table} ${listing.alias} WHERE ${listing.projectId} = ${projectId} AND ${listing.always ?? sql`true`}`

const positionOf = ({ listing, order }: Query) => ({
  id: listing.id,
  key: cast('text', order.value),
})

const linkedPosition = (query: Query, { relations }: Plan) => {
  const links = Object.fromEntries(relations.map(({ link }, index) => [`link${index}`, link]))
  const columns: Record<`link${number}`, Value<string | null>> & ReturnType<typeof positionOf> = {
    ...positionOf(query),
    ...links,
  }
  return select(columns)
}

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

/** Returns the rows that pass the relations. */
const related = async (
  { relations }: Plan,
  rows: readonly LinkedPosition[],
): Promise<Position[]> => {
  let left = rows
  for (const [index, { passing, isNegated }] of relations.entries()) {
    const linkOf = (row: LinkedPosition) => row[`link${index}`] ?? null
    const links = [...new Set(left.map(linkOf))].filter((link) => link !== null)
    const passed = new Set(links.length === 0 ? [] : await passing(links))
    left = left.filter((row) => passed.has(linkOf(row) ?? '') !== isNegated)
  }
  return left.map(({ key, id }) => ({ key, id }))
}

/** Returns the candidates of the condition that the fewest rows pass by its index, if they are few. */
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
    const { rows } = await sql`
      SELECT ${select({ id: query.listing.id })} ${fromRows(query)} AND ${test} LIMIT ${sql.lit(most + 1)}`.execute(
      db,
    )
    offer(
      rows.map(({ id }) => id),
      among(query.listing.id),
    )
  }
  for (const { candidates, isNegated, link, isAmong = among(link) } of relations) {
    const links = isNegated ? undefined : await candidates?.(most)
    if (links !== undefined) offer(links, isAmong)
  }
  return best?.test
}

/** Counts the rows of a list; returns one more than `most` when there are more. */
const sizeOf = async (db: Database, query: Query, most: number): Promise<number> => {
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (SELECT 1 ${fromRows(query)} LIMIT ${sql.lit(most + 1)}) AS some_rows`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * Returns the first of some candidates, which are all tested and then sorted. Only the condition that selects them is
 * in a form that an index can use: otherwise the planner might prefer one that leads to many more.
 */
const gather = async (
  db: Database,
  query: Query,
  plan: Plan,
  among: Test,
  need: number,
): Promise<Position[]> => {
  const { order } = query
  const direction = directionOf(query)
  const tests = [...plan.scope, ...behind(query, query.from), ...plan.tests]
  const { rows } = await sql`
    WITH found AS MATERIALIZED (
      SELECT ${linkedPosition(query, plan)}, ${order.value} AS sort_key
      ${fromRows(query)} AND ${among} AND (${and(tests)}) IS TRUE)
    SELECT * FROM found ORDER BY sort_key ${direction}, id ${direction}
    ${plan.relations.length === 0 ? sql`LIMIT ${need}` : sql``}`.execute(db)
  return (await related(plan, rows)).slice(0, need)
}
