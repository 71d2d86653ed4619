import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.js'
import { contentOf } from './steps.js'

export interface PreviewRow {
  id: string
  inputBytes: number | null
  outputBytes: number | null
  /** How they begin; null without a payload, and when no characters are asked for. */
  input: string | null
  output: string | null
}

/** How the inputs and outputs of steps begin, and how large they are. */
export const findPreviews = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  characters: number,
): Promise<PreviewRow[]> => {
  const start = (payload: RawBuilder<unknown>) =>
    characters === 0
      ? sql`NULL::text`
      : sql`left(coalesce(${contentOf(payload)}, ${payload}::text), ${characters}::integer)`
  const { rows } = await sql<PreviewRow>`
    SELECT s.id, octet_length(s.input::text) AS "inputBytes", octet_length(s.output::text) AS "outputBytes",
      ${start(sql`s.input`)} AS input, ${start(sql`s.output`)} AS output
    FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows
}
