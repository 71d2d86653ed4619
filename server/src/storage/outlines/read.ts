import type { Database } from '../../database/database.js'
import { type Sql, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { startOfStep } from '../reading/starts.js'
import { type OutlinePortion, PORTION, packed, portionColumns, unpacked } from './portion.js'

/** Steps whose children are read by one statement. */
const MAX_PARENTS = 4000

/** Reads the steps of a condition that come after others by their start, the first ones of them. */
const readAfter = async (
  db: Database,
  condition: Sql,
  last: OutlinePortion['last'] | undefined,
  most: number,
): Promise<OutlinePortion | undefined> => {
  const after =
    last === undefined
      ? sql``
      : sql` AND (${startOfStep}, ${s.id}) > (${last.moment}::timestamptz, ${last.id})`
  const { rows } = await sql`
    WITH portion AS (
      SELECT ${portionColumns} FROM steps s WHERE ${condition} AND s.ingested${after}
      ORDER BY ${startOfStep}, ${s.id} LIMIT ${most})
    SELECT ${packed} FROM portion p`.execute(db)
  return unpacked(rows[0])
}

/** The number of steps to read, by default all, and to read at once. */
export interface ReadSizes {
  most?: number | undefined
  portion?: number | undefined
}

/** Reads all steps of a condition in portions, by their start. */
async function* readAll(
  db: Database,
  condition: Sql,
  { most = Number.POSITIVE_INFINITY, portion: size = PORTION }: ReadSizes,
) {
  const readNext = (left: number, last?: OutlinePortion['last']) => {
    const next = readAfter(db, condition, last, Math.min(left, size))
    // It fails where it is awaited, unless its reader ends before.
    next.catch(() => undefined)
    return next
  }
  let next = readNext(most)
  for (let left = most; left > 0; ) {
    const portion = await next
    if (portion === undefined) return
    const isLast = portion.id.length < Math.min(left, size)
    left -= portion.id.length
    // The database reads the next ones while these are worked on.
    if (!isLast && left > 0) next = readNext(left, portion.last)
    yield portion
    if (isLast) return
  }
}

/** Reads the steps of a thread in portions: those that started first come first. */
export const readOutlineOfThread = (
  db: Database,
  projectId: string,
  threadId: string,
  sizes: ReadSizes = {},
): AsyncGenerator<OutlinePortion> =>
  readAll(db, sql`s.project_id = ${projectId} AND s.thread_id = ${threadId}`, sizes)

/** Reads the steps of a thread that started from one moment on, and before another one. */
export const readOutlineBetween = (
  db: Database,
  projectId: string,
  threadId: string,
  { from, to }: { from: Instant | undefined; to: Instant | undefined },
): AsyncGenerator<OutlinePortion> => {
  const since = from === undefined ? sql`` : sql` AND ${startOfStep} >= ${from}::timestamptz`
  const before = to === undefined ? sql`` : sql` AND ${startOfStep} < ${to}::timestamptz`
  const thread = sql`s.project_id = ${projectId} AND s.thread_id = ${threadId}`
  return readAll(db, sql`${thread}${since}${before}`, {})
}

/**
 * Reads a step and every step below it in portions, level by level. A circle of parents ends where it closes: at the step
 * itself, as each other one has a single parent.
 */
export async function* readOutlineBelow(
  db: Database,
  projectId: string,
  id: string,
  /** Called before each statement; may throw. */
  goOn: () => Promise<void>,
  { most = Number.POSITIVE_INFINITY, portion: size = PORTION }: ReadSizes = {},
): AsyncGenerator<OutlinePortion> {
  const root = await readAfter(db, sql`s.project_id = ${projectId} AND s.id = ${id}`, undefined, 1)
  if (root === undefined) return
  yield root
  // A step that moves meanwhile may come twice.
  const seen = new Set([id])
  const left = () => most - seen.size
  const below = sql`s.project_id = ${projectId} AND s.id <> ${id}`
  for (let parents = [id]; parents.length > 0 && left() > 0; ) {
    const level: string[] = []
    for (let from = 0; from < parents.length; from += MAX_PARENTS) {
      const some = parents.slice(from, from + MAX_PARENTS)
      for await (const portion of readBelow(db, below, some, goOn, left, size)) {
        yield portion
        for (const one of portion.id) {
          if (seen.has(one)) continue
          seen.add(one)
          level.push(one)
        }
      }
    }
    parents = level
  }
}

/**
 * Reads the children of some steps, as many as are left to read. An index has them in order for one parent alone, so that
 * where they fill a portion, the parents are halved until they do not.
 */
async function* readBelow(
  db: Database,
  below: Sql,
  parents: readonly string[],
  goOn: () => Promise<void>,
  left: () => number,
  size: number,
): AsyncGenerator<OutlinePortion> {
  if (left() <= 0) return
  await goOn()
  const condition = sql`${below} AND s.parent_id = ANY(${parents}::text[])`
  if (parents.length === 1) {
    for await (const portion of readAll(db, condition, { most: left(), portion: size })) {
      yield portion
      await goOn()
    }
    return
  }
  const portion = await readAfter(db, condition, undefined, Math.min(left(), size))
  if (portion === undefined) return
  if (portion.id.length < size || left() <= size) yield portion
  else {
    const middle = parents.length >> 1
    yield* readBelow(db, below, parents.slice(0, middle), goOn, left, size)
    yield* readBelow(db, below, parents.slice(middle), goOn, left, size)
  }
}
