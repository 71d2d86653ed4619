import type { Database } from '../../database/database.js'
import { type Sql, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
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

/**
 * Reads a step and every step below it in portions, level by level. A circle of parents ends where it closes; a step
 * may come twice.
 */
export async function* readOutlineBelow(
  db: Database,
  projectId: string,
  id: string,
  /** Called before each statement; may throw. */
  goOn: () => Promise<void>,
  { most = Number.POSITIVE_INFINITY, portion: size = PORTION }: ReadSizes = {},
): AsyncGenerator<OutlinePortion> {
  const seen = new Set<string>()
  const fresh = ({ id: ids }: OutlinePortion) => {
    const found = ids.filter((one) => !seen.has(one))
    for (const one of found) seen.add(one)
    return found
  }
  const root = await readAfter(db, sql`s.project_id = ${projectId} AND s.id = ${id}`, undefined, 1)
  if (root === undefined) return
  yield root
  for (let parents = fresh(root); parents.length > 0; ) {
    const level: string[] = []
    for (let from = 0; from < parents.length && seen.size < most; from += MAX_PARENTS)
      for await (const portion of readBelow(
        db,
        projectId,
        parents.slice(from, from + MAX_PARENTS),
        goOn,
        { most: most - seen.size, portion: size },
      )) {
        yield portion
        for (const one of fresh(portion)) level.push(one)
      }
    parents = seen.size < most ? level : []
  }
}

/**
 * Reads the children of some steps. An index has them in order for one parent alone, so that where they fill a portion,
 * the parents are halved until they do not.
 */
async function* readBelow(
  db: Database,
  projectId: string,
  parents: readonly string[],
  goOn: () => Promise<void>,
  sizes: { most: number; portion: number },
): AsyncGenerator<OutlinePortion> {
  await goOn()
  const condition = sql`s.project_id = ${projectId} AND s.parent_id = ANY(${parents}::text[])`
  if (parents.length === 1) {
    for await (const portion of readAll(db, condition, sizes)) {
      yield portion
      await goOn()
    }
    return
  }
  const portion = await readAfter(db, condition, undefined, sizes.portion)
  if (portion === undefined) return
  if (portion.id.length < sizes.portion) yield portion
  else {
    const middle = parents.length >> 1
    yield* readBelow(db, projectId, parents.slice(0, middle), goOn, sizes)
    yield* readBelow(db, projectId, parents.slice(middle), goOn, sizes)
  }
}
