import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import type { Position } from '../cursor.js'
import type { Criterion, Value } from '../fields.js'
import { gather, inTime, related } from '../gather.js'
import type { Listing } from '../listing.js'
import { and, behind, fromRows, linkedPosition, type Plan, planOf, type Query } from '../plan.js'
import { type Found, SEARCH_SIZES } from '../sizes.js'
import { hashesOf } from './candidates.js'
import { type Hit, walkContents } from './walk.js'

/** Steps that are tested, and the time that it may take, to find the few that a condition of another list leads to. */
const MAX_CANDIDATES_ROWS = 50_000
const MAX_CANDIDATES_MS = 3000

/** Orders in which the index of contents knows the times of its blocks. */
const TIMES: Record<string, 'created' | 'started'> = { createdAt: 'created', startedAt: 'started' }

/** Finds rows by the index of contents; undefined when it cannot tell which rows may contain the texts. */
export const searchContents = async (
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
export const gatherContents = async (
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
    const some = ids.slice(at, at + size)
    const rows = await inTime(
      deadline - performance.now(),
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
      size > 1 ? SEARCH_SIZES.windowMs : undefined,
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
