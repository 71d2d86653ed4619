import { type RawBuilder, sql } from 'kysely'
import { invalid, show } from '../../domain/errors.js'
import { parseInstant } from '../../domain/instant.js'
import type { Database } from '../database.js'
import { type Filter, parseFilters } from './conditions.js'
import type { Field, Test } from './fields.js'

const DEFAULT_SIZE = 20
const LARGEST_SIZE = 1000
const EXACT_COUNT = 10_000

/** Which page of a list to read, as the GraphQL arguments say it. */
export interface PageRequest {
  first?: number | null | undefined
  last?: number | null | undefined
  after?: string | null | undefined
  before?: string | null | undefined
  skip?: number | null | undefined
  cursorAnchor?: string | null | undefined
  filters?: readonly Filter[] | null | undefined
  orderBy?: { column: string; direction: 'ASC' | 'DESC' } | null | undefined
}

/** What a row is ordered by. A null sorts below every value, which `value` says by its sentinel. */
interface Key {
  value: RawBuilder<unknown>
  type: 'timestamptz' | 'float8' | 'text'
}

/** A list that can be paged through: everything but the project and the request. */
export interface Listing {
  /** What follows FROM; its alias is used by all the rest. */
  from: RawBuilder<unknown>
  columns: RawBuilder<unknown>
  id: RawBuilder<unknown>
  projectId: RawBuilder<unknown>
  createdAt: RawBuilder<unknown>
  /** Holds for every row of the list, whatever is asked for. */
  always?: Test
  fields: Record<string, Field>
  orders: Record<string, Key>
}

export interface Page<Row> {
  rows: (Row & { cursor: string })[]
  hasNextPage: boolean
  hasPreviousPage: boolean
  /** Counts when called. */
  count: () => Promise<number>
}

interface Position {
  key: string
  id: string
}

/**
 * Reads a page by keyset: a cursor holds the sort key and id of its row, so the page after it starts there, whatever
 * was inserted or deleted since, and its depth costs nothing.
 */
export const readPage = async <Row>(
  db: Database,
  projectId: string,
  listing: Listing,
  request: PageRequest,
): Promise<Page<Row>> => {
  const column = request.orderBy?.column ?? 'createdAt'
  const key = Object.hasOwn(listing.orders, column) ? listing.orders[column] : undefined
  if (key === undefined)
    throw invalid(
      `orderBy.column: ${show(column)} orders no list of this kind; expected one of ${Object.keys(listing.orders).join(', ')}`,
    )
  const ascending = request.orderBy?.direction === 'ASC'
  const after = parseCursor('after', request.after, column, key)
  const before = parseCursor('before', request.before, column, key)
  const { size, backward, skip } = parseRange(request)

  const matching = [
    sql`${listing.projectId} = ${projectId}`,
    ...(listing.always === undefined ? [] : [listing.always]),
    ...parseFilters(request.filters, listing.fields).map(({ rule, condition }) =>
      rule.test(condition),
    ),
    ...(request.cursorAnchor == null
      ? []
      : [
          sql`${listing.createdAt} <= ${parseInstant('cursorAnchor', request.cursorAnchor)}::timestamptz`,
        ]),
  ]
  const beyond = (position: Position, forward: boolean) =>
    sql`(${key.value}, ${listing.id}) ${forward === ascending ? sql`>` : sql`<`} (${position.key}::${sql.raw(key.type)}, ${position.id}::text)`
  const range = [
    ...matching,
    ...(after === undefined ? [] : [beyond(after, true)]),
    ...(before === undefined ? [] : [beyond(before, false)]),
  ]
  const direction = ascending === backward ? sql`DESC` : sql`ASC`
  const { rows } = await sql<Row & { cursorKey: string; cursorId: string }>`
    SELECT ${listing.columns}, (${key.value})::text AS "cursorKey", ${listing.id} AS "cursorId"
    FROM ${listing.from}
    WHERE ${sql.join(range, sql` AND `)}
    ORDER BY ${key.value} ${direction}, ${listing.id} ${direction}
    LIMIT ${size + 1} OFFSET ${skip}
  `.execute(db)
  // A page of nothing has no cursor to go on from.
  const more = size > 0 && rows.length > size
  const page = rows.slice(0, size)
  if (backward) page.reverse()
  return {
    rows: page.map(({ cursorKey, cursorId, ...row }) => ({
      ...(row as Row),
      cursor: showCursor(column, { key: cursorKey, id: cursorId }),
    })),
    hasNextPage: backward ? before !== undefined || skip > 0 : more,
    hasPreviousPage: backward ? more : after !== undefined || skip > 0,
    count: () => count(db, listing, matching),
  }
}

const parseRange = ({ first, last, after, before, skip }: PageRequest) => {
  for (const [name, value] of Object.entries({ first, last, skip }))
    if (value != null && value < 0) throw invalid(`${name}: expected 0 or more, got ${value}`)
  if (first != null && last != null) throw invalid('first, last: expected one of them, got both')
  const size = last ?? first ?? DEFAULT_SIZE
  if (size > LARGEST_SIZE)
    throw invalid(
      `${last == null ? 'first' : 'last'}: expected at most ${LARGEST_SIZE}, got ${size}`,
    )
  // `before` alone means the rows next to that cursor, whichever of the two names their number.
  return { size, backward: last != null || (before != null && after == null), skip: skip ?? 0 }
}

/** Counts exactly up to a limit; beyond it takes the planner's estimate, as counting would read every row. */
const count = async (db: Database, { from }: Listing, matching: Test[]): Promise<number> => {
  const rows = sql`SELECT 1 FROM ${from} WHERE ${sql.join(matching, sql` AND `)}`
  const exact = await sql<{ n: number }>`
    SELECT count(*) AS n FROM (${rows} LIMIT ${EXACT_COUNT + 1}) AS some_rows
  `.execute(db)
  const counted = exact.rows[0]?.n ?? 0
  if (counted <= EXACT_COUNT) return counted
  const plan = await sql<{
    'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }]
  }>`EXPLAIN (FORMAT JSON) ${rows}`.execute(db)
  return Math.max(counted, Math.round(plan.rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0))
}

const showCursor = (column: string, { key, id }: Position): string =>
  Buffer.from(JSON.stringify([column, key, id])).toString('base64url')

const parseCursor = (
  argument: string,
  cursor: string | null | undefined,
  column: string,
  { type }: Key,
): Position | undefined => {
  if (cursor == null || cursor === '') return undefined
  const wrong = invalid(`${argument}: expected a cursor that this list gave, got ${show(cursor)}`)
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw wrong
  }
  if (
    !Array.isArray(parts) ||
    parts.length !== 3 ||
    !parts.every((part) => typeof part === 'string')
  )
    throw wrong
  const [of, key, id] = parts as [string, string, string]
  if (of !== column)
    throw invalid(
      `${argument}: expected a cursor of a list ordered by ${column}, got one ordered by ${show(of)}`,
    )
  if (type === 'float8' && !isFloat(key)) throw wrong
  if (type !== 'timestamptz') return { key, id }
  try {
    return { key: parseInstant(argument, key), id }
  } catch {
    throw wrong
  }
}

/** Whether PostgreSQL reads it as a double: it refuses what over- or underflows. */
const isFloat = (text: string): boolean =>
  /^-?Infinity$/.test(text) ||
  (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) &&
    Number.isFinite(Number(text)) &&
    (Number(text) !== 0 || /^[-0.]+$/.test(text)))
