import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { s } from '../database/rows/tables.js'
import { encodeJson, encodeText } from '../database/text.js'
import type { Instant } from '../kernel/instant.js'
import { inDollars, isUnpriced } from './prices/costs.js'

const milliseconds = <Moment extends Instant | null>(moment: Sql<Moment>) =>
  cast('float8 | null', sql`extract(epoch FROM ${moment}) * 1000`)
const hasFailed = cast('boolean', sql`${s.error} IS NOT NULL OR ${s.genError} IS NOT NULL`)
const columns = select({
  ...pick(s, 'id', 'parentId', 'type', 'name'),
  start: milliseconds(s.startTime),
  end: milliseconds(s.endTime),
  arrived: milliseconds(s.createdAt).narrow<number>(),
  firstToken: s.genTtFirstToken,
  tokens: s.genTokens,
  cost: inDollars(s.genCost),
  isUnpriced: cast('boolean', sql`coalesce(${isUnpriced}, false)`),
  hasFailed,
  isGeneration: s.hasGeneration,
})

/** A step without its payloads. Times are milliseconds since 1970. */
export type OutlineRow = RowOf<typeof columns>

/** Returns the steps of a thread, in no order. */
export const findOutlineOfThread = async (
  db: Database,
  projectId: string,
  threadId: string,
): Promise<OutlineRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} AND s.ingested`.execute(db)
  return rows
}

/** Returns a step and every step below it, in no order. A circle of parents ends where it closes. */
export const findOutlineBelow = async (
  db: Database,
  projectId: string,
  id: string,
  /** Called before each level; may throw. */
  goOn: () => Promise<void>,
): Promise<OutlineRow[]> => {
  const root = await sql`
    SELECT ${columns} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ${id} AND s.ingested`.execute(
    db,
  )
  const found = new Map(root.rows.map((row) => [row.id, row]))
  for (let parents = [...found.keys()]; parents.length > 0; ) {
    await goOn()
    const { rows } = await sql`
      SELECT ${columns} FROM steps s
      WHERE s.project_id = ${projectId} AND s.parent_id = ANY(${parents}::text[]) AND s.ingested`.execute(
      db,
    )
    const fresh = rows.filter((row) => !found.has(row.id))
    for (const row of fresh) found.set(row.id, row)
    parents = fresh.map((row) => row.id)
  }
  return [...found.values()]
}

const revision = sql`concat_ws('-', count(*), sum(hashtextextended(concat_ws(',', ${sql.join([
  s.id,
  s.parentId,
  s.type,
  s.name,
  sql`extract(epoch FROM ${s.startTime})`,
  sql`extract(epoch FROM ${s.endTime})`,
  hasFailed,
  s.genTokens,
  s.genTtFirstToken,
  s.genCost,
  isUnpriced,
])}), 0)))`

/**
 * Returns a text that changes with anything of the outline, in whatever order rows are read; undefined without any
 * step.
 */
export const findRevision = async (
  db: Database,
  projectId: string,
  threadId: string,
): Promise<string | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ steps: cast('integer', sql`count(*)`), revision: cast('text', revision) })}
    FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} AND s.ingested`.execute(
    db,
  )
  return rows[0]?.steps ? rows[0].revision : undefined
}

/** Returns those of some steps that contain a text: in a payload, as its JSON is written. */
export const findStepsWithText = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  text: string,
): Promise<Set<string>> => {
  const holds = (value: Sql, wanted = encodeText(text)) =>
    sql`coalesce(strpos(lower((${value}) COLLATE "und-x-icu"), lower(${wanted}::text COLLATE "und-x-icu")) > 0, false)`
  // JSON escapes quotes, line breaks and the like.
  const escaped = encodeJson(text).slice(1, -1)
  const { rows } = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND (
      ${holds(s.name)} OR ${holds(s.error)} OR ${holds(s.genError)}
      OR ${holds(sql`s.input::text`, escaped)} OR ${holds(sql`s.output::text`, escaped)})`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}
