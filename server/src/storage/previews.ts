import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { type Sql, select, sql } from '../database/rows/sql.js'
import { s } from '../database/rows/tables.js'
import { contentOf } from './steps.js'

export interface PreviewRow {
  id: string
  inputBytes: number | null
  outputBytes: number | null
  /** The first characters; null without a payload, and when none are asked for. */
  input: string | null
  output: string | null
}

/** Reads the beginnings and sizes of the inputs and outputs of steps. */
export const findPreviews = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  characters: number,
): Promise<PreviewRow[]> => {
  const start = (payload: Sql) =>
    characters === 0
      ? cast('text | null', sql`NULL`)
      : cast(
          'text | null',
          sql`left(coalesce(${contentOf(payload)}, ${payload}::text), ${characters}::integer)`,
        )
  const bytes = (payload: Sql) => cast('integer | null', sql`octet_length(${payload}::text)`)
  const columns = select({
    id: s.id,
    inputBytes: bytes(s.input),
    outputBytes: bytes(s.output),
    input: start(s.input),
    output: start(s.output),
  })
  const { rows } = await sql`
    SELECT ${columns} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}
