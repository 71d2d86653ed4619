import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.js'
import { encodeJson, encodeText } from '../database/text.js'

/** A step without what went in and out. Times are milliseconds since 1970. */
export interface OutlineRow {
  id: string
  parentId: string | null
  type: string
  name: string | null
  start: number | null
  end: number | null
  arrived: number
  firstToken: number | null
  tokens: number | null
  hasFailed: boolean
  isGeneration: boolean
}

const milliseconds = (moment: RawBuilder<unknown>) =>
  sql`(extract(epoch FROM ${moment}) * 1000)::float8`
const hasFailed = sql`(s.error IS NOT NULL OR s.gen_error IS NOT NULL)`
const columns = sql`
  s.id, s.parent_id AS "parentId", s.type, s.name, ${milliseconds(sql`s.start_time`)} AS start,
  ${milliseconds(sql`s.end_time`)} AS "end", ${milliseconds(sql`s.created_at`)} AS arrived,
  s.gen_tt_first_token AS "firstToken", s.gen_tokens::float8 AS tokens, ${hasFailed} AS "hasFailed",
  s.has_generation AS "isGeneration"`

/** The steps of a thread, in no order. */
export const findOutlineOfThread = async (
  db: Database,
  projectId: string,
  threadId: string,
): Promise<OutlineRow[]> => {
  const { rows } = await sql<OutlineRow>`
    SELECT ${columns} FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} AND s.ingested`.execute(db)
  return rows
}

/** A step and every step below it, in no order. A circle of parents ends where it closes. */
export const findOutlineBelow = async (
  db: Database,
  projectId: string,
  id: string,
  /** Is called before each level, and may throw. */
  goOn: () => Promise<void>,
): Promise<OutlineRow[]> => {
  const root = await sql<OutlineRow>`
    SELECT ${columns} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ${id} AND s.ingested`.execute(
    db,
  )
  const found = new Map(root.rows.map((row) => [row.id, row]))
  for (let parents = [...found.keys()]; parents.length > 0; ) {
    await goOn()
    const { rows } = await sql<OutlineRow>`
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

/** What changes when anything of the outline does, whatever the order of its rows; undefined when the thread has no step. */
export const findRevision = async (
  db: Database,
  projectId: string,
  threadId: string,
): Promise<string | undefined> => {
  const { rows } = await sql<{ steps: number; revision: string }>`
    SELECT count(*)::integer AS steps,
      concat_ws('-', count(*), sum(hashtextextended(concat_ws(',', s.id, s.parent_id, s.type, s.name,
        extract(epoch FROM s.start_time), extract(epoch FROM s.end_time), ${hasFailed}, s.gen_tokens,
        s.gen_tt_first_token), 0))) AS revision
    FROM steps s WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} AND s.ingested`.execute(
    db,
  )
  return rows[0]?.steps ? rows[0].revision : undefined
}

/** Those of some steps that hold a text: in a payload, as its JSON has it. */
export const findStepsWithText = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  text: string,
): Promise<Set<string>> => {
  const holds = (value: RawBuilder<unknown>, wanted = encodeText(text)) =>
    sql`coalesce(strpos(lower((${value}) COLLATE "und-x-icu"), lower(${wanted}::text COLLATE "und-x-icu")) > 0, false)`
  // Quotes, line breaks and the like are escaped there.
  const escaped = encodeJson(text).slice(1, -1)
  const { rows } = await sql<{ id: string }>`
    SELECT s.id FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND (
      ${holds(sql`s.name`)} OR ${holds(sql`s.error`)} OR ${holds(sql`s.gen_error`)}
      OR ${holds(sql`s.input::text`, escaped)} OR ${holds(sql`s.output::text`, escaped)})`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}
