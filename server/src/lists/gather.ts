import type { Database } from '../database/database.js'
import { isTooSlow } from '../database/failures.js'
import { sql } from '../database/rows/sql.js'
import { withStatementLimit, withTimeLimit } from '../database/task.js'
import type { Position } from './cursor.js'
import type { Test } from './fields.js'
import {
  and,
  behind,
  directionOf,
  fromRows,
  type LinkedPosition,
  linkedPosition,
  type Plan,
  planOf,
  type Query,
} from './plan.js'

/**
 * Returns the first of some candidates, which are all tested and then sorted. Only the condition that selects them is
 * in a form that an index can use: otherwise the planner might prefer one that leads to many more.
 */
export const gather = async (
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

/** Returns the rows of a query with some ids, in the order of the query. */
export const findAmong = (
  db: Database,
  query: Query,
  ids: readonly string[],
): Promise<Position[]> =>
  gather(db, query, planOf(query), sql`${query.listing.id} = ANY(${ids}::text[])`, ids.length)

/** Returns the rows that pass the relations. */
export const related = async (
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

/** Resolves to the result, or to undefined when it exceeds its time, or one of its statements that of a statement. */
export const inTime = async <Result>(
  leftMs: number,
  work: () => Promise<Result>,
  statementMs = Number.POSITIVE_INFINITY,
): Promise<Result | undefined> => {
  try {
    return await withTimeLimit(leftMs, () => withStatementLimit(statementMs, work))
  } catch (error) {
    if (isTooSlow(error)) return undefined
    throw error
  }
}
