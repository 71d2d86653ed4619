import { sql } from 'kysely'
import type { Database } from '../database.js'
import type { Position } from './cursor.js'
import type { Criterion, Lead, Relation, Test } from './fields.js'
import type { Listing, Order } from './listing.js'

/** How much a search may read before it gives up. */
export interface SearchLimits {
  searchRows: number
  searchMs: number
}

/** In which portions a search reads. */
export interface SearchSizes {
  /** Rows that the first statement reads: few, as most pages are full soon. */
  firstWindow: number
  /** Rows that a statement reads at most. */
  largestWindow: number
  /** So few rows that lead to a page are read all at once and sorted. */
  gathered: number
  /** As many rows are sorted for an order that no index has. */
  sorted: number
}

export const SEARCH_SIZES: SearchSizes = {
  firstWindow: 1000,
  largestWindow: 8000,
  gathered: 10_000,
  sorted: 100_000,
}

/** The rows that are looked for, and from where on. */
export interface Query {
  listing: Listing
  projectId: string
  column: string
  order: Order
  isAscending: boolean
  /** Rows are looked for behind this one. */
  from?: Position | undefined
  /** … and before this one. */
  to?: Position | undefined
  criteria: readonly Criterion[]
}

export interface Found {
  places: Position[]
  examined: number
  /** False when the search gave up before it had enough. */
  isComplete: boolean
}

interface Place extends Position {
  [link: `link${number}`]: string | null
}

/** A query, taken apart: what an index answers in the order of the list, and what is left to look at each row for. */
export interface Plan {
  /** Read by an index, in order. */
  scope: Test[]
  tests: Test[]
  relations: Relation[]
  /** Indexes that the scope leaves unused. */
  leads: Lead[]
}

export const planOf = (query: Query): Plan => {
  const { listing, projectId, column, criteria } = query
  const plan: Plan = {
    scope: [
      sql`${listing.projectId} = ${projectId}`,
      ...(listing.always === undefined ? [] : [listing.always]),
      ...(query.to === undefined ? [] : [beyond(query, query.to, !query.isAscending)]),
    ],
    tests: [],
    relations: [],
    leads: [],
  }
  let isLed = false
  for (const criterion of criteria) {
    if ('relation' in criterion) {
      plan.relations.push(criterion.relation)
      continue
    }
    const { test, lead } = criterion
    const leads =
      lead !== undefined &&
      (lead.bounds === column || (lead.isInOrder === true && column === 'createdAt' && !isLed))
    if (lead !== undefined && leads) {
      plan.scope.push(lead.test)
      isLed ||= lead.bounds === undefined
    } else if (lead !== undefined) plan.leads.push(lead)
    if (!(leads && lead?.isExact)) plan.tests.push(test)
  }
  return plan
}

/**
 * Finds the first rows of a query, in its order. It reads the list in windows and looks at each row; where the first
 * window has too few, it asks the indexes of the conditions whether few rows pass one, and then reads just those. A
 * statement reads no more than a window, so that a search neither holds a connection for long nor the embedded database.
 */
export const search = async (
  db: Database,
  query: Query,
  need: number,
  { searchRows, searchMs }: SearchLimits,
  sizes: SearchSizes,
): Promise<Found> => {
  const plan = planOf(query)
  const few = async () => {
    const lead = await fewest(db, query, plan, sizes.gathered)
    return lead === undefined ? undefined : gather(db, query, plan, lead, need, sizes.gathered)
  }
  if (!query.order.isIndexed) {
    const all = (await few()) ?? (await sortAll(db, query, plan, need, sizes.sorted))
    return { places: all ?? [], examined: sizes.sorted, isComplete: all !== undefined }
  }
  const deadline = performance.now() + searchMs
  const places: Position[] = []
  let examined = 0
  let { from } = query
  let isFirst = true
  for (let size = sizes.firstWindow; ; size = Math.min(size * 4, sizes.largestWindow)) {
    const window = await readWindow(db, query, plan, from, size, need - places.length)
    places.push(...window.places)
    examined += size
    if (places.length >= need || window.end === undefined)
      return { places: places.slice(0, need), examined, isComplete: true }
    from = window.end
    const gathered = isFirst ? await few() : undefined
    isFirst = false
    if (gathered !== undefined) return { places: gathered, examined, isComplete: true }
    if (examined >= searchRows || performance.now() > deadline)
      return { places, examined, isComplete: false }
  }
}

const and = (tests: readonly Test[]) =>
  tests.length === 0 ? sql`true` : sql.join(tests, sql` AND `)

/** The rows above or below a position. */
const beyond = ({ order, listing }: Query, position: Position, isAscending: boolean): Test =>
  sql`(${order.value}, ${listing.id}) ${isAscending ? sql`>` : sql`<`} (${position.key}::${sql.raw(order.type)}, ${position.id}::text)`

/** The rows behind a position, in the order of the query. */
export const behind = (query: Query, from: Position | undefined): Test[] =>
  from === undefined ? [] : [beyond(query, from, query.isAscending)]

const directionOf = ({ isAscending }: Query) => (isAscending ? sql`ASC` : sql`DESC`)

const rowsOf = ({ listing, order }: Query) =>
  sql`SELECT ${listing.alias}.*, ${order.value} AS cursor_key FROM ${listing.table} ${listing.alias}`

const placeOf = ({ listing }: Query, { relations }: Plan) =>
  sql`${listing.id} AS id, cursor_key::text AS key${sql.join(
    relations.map(({ link }, index) => sql`, ${link} AS ${sql.ref(`link${index}`)}`),
    sql``,
  )}`

/** Looks at the next rows of the list. `end` is the last of them; undefined when there are no more. */
const readWindow = async (
  db: Database,
  query: Query,
  plan: Plan,
  from: Position | undefined,
  size: number,
  need: number,
): Promise<{ places: Position[]; end: Position | undefined }> => {
  const { listing } = query
  const direction = directionOf(query)
  const window = sql`${rowsOf(query)} WHERE ${and([...plan.scope, ...behind(query, from)])}
    ORDER BY cursor_key ${direction}, ${listing.id} ${direction}`
  // With relations to look up, all rows of the window are taken; else the database stops when it has enough.
  const most = plan.relations.length === 0 ? Math.min(need, size) : size
  const { rows } = await sql<Place>`
    SELECT ${placeOf(query, plan)} FROM (${window} LIMIT ${sql.lit(size)}) AS ${listing.alias}
    WHERE ${and(plan.tests)} ORDER BY cursor_key ${direction}, ${listing.id} ${direction}
    LIMIT ${most}`.execute(db)
  const places = await related(plan, rows)
  if (places.length >= need) return { places: places.slice(0, need), end: undefined }
  const ends = await sql<Position>`
    SELECT ${listing.id} AS id, cursor_key::text AS key
    FROM (${window} OFFSET ${sql.lit(size - 1)} LIMIT 1) AS ${listing.alias}`.execute(db)
  return { places, end: ends.rows[0] }
}

/** Those rows that the relations leave. */
const related = async ({ relations }: Plan, rows: readonly Place[]): Promise<Position[]> => {
  let left = rows
  for (const [index, { passing, isNegated }] of relations.entries()) {
    const linkOf = (row: Place) => row[`link${index}`] ?? null
    const links = [...new Set(left.map(linkOf))].filter((link) => link !== null)
    const passed = new Set(links.length === 0 ? [] : await passing(links))
    left = left.filter((row) => passed.has(linkOf(row) ?? '') !== isNegated)
  }
  return left.map(({ key, id }) => ({ key, id }))
}

/** The condition that the fewest rows pass by its index, if they are few. */
const fewest = async (
  db: Database,
  { listing, projectId }: Query,
  { leads, relations }: Plan,
  most: number,
): Promise<Test | undefined> => {
  let best: { test: Test; count: number } | undefined
  const offer = (test: Test, count: number) => {
    if (count <= most && count < (best?.count ?? Number.POSITIVE_INFINITY)) best = { test, count }
  }
  for (const { test } of leads) {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*) AS count FROM (
        SELECT 1 FROM ${listing.table} ${listing.alias}
        WHERE ${listing.projectId} = ${projectId} AND ${listing.always ?? sql`true`} AND ${test}
        LIMIT ${sql.lit(most + 1)}) AS passing`.execute(db)
    offer(test, rows[0]?.count ?? 0)
  }
  for (const { candidates, isNegated, link } of relations) {
    if (candidates === undefined || isNegated) continue
    const links = await candidates(most)
    if (links !== undefined) offer(sql`${link} = ANY(${links}::text[])`, links.length)
  }
  return best?.test
}

/** The rows of a list, as many as are sorted at once; undefined when there are more. */
const sortAll = async (
  db: Database,
  query: Query,
  plan: Plan,
  need: number,
  most: number,
): Promise<Position[] | undefined> => {
  const { listing, projectId } = query
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM ${listing.table} ${listing.alias}
      WHERE ${listing.projectId} = ${projectId} AND ${listing.always ?? sql`true`}
      LIMIT ${sql.lit(most + 1)}) AS counted`.execute(db)
  return (rows[0]?.count ?? 0) > most ? undefined : gather(db, query, plan, sql`true`, need, most)
}

/** All rows that a condition leads to, no more than `most`, looked at and sorted. */
const gather = async (
  db: Database,
  query: Query,
  plan: Plan,
  lead: Test,
  need: number,
  most: number,
): Promise<Position[]> => {
  const { listing, projectId } = query
  const direction = directionOf(query)
  const { rows } = await sql<Place>`
    SELECT ${placeOf(query, plan)} FROM (
      ${rowsOf(query)} WHERE ${listing.projectId} = ${projectId}
        AND ${listing.always ?? sql`true`} AND ${lead} LIMIT ${sql.lit(most)}) AS ${listing.alias}
    WHERE ${and([...plan.scope, ...behind(query, query.from), ...plan.tests])}
    ORDER BY cursor_key ${direction}, ${listing.id} ${direction}
    ${plan.relations.length === 0 ? sql`LIMIT ${need}` : sql``}`.execute(db)
  return (await related(plan, rows)).slice(0, need)
}
