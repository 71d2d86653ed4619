import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { encodeJson } from '../../database/text.js'
import type { Instant } from '../../kernel/instant.js'
import { startOfStep } from '../reading/starts.js'

/** Characters of the longest name that a rule can have. */
export const MAX_NAME_CHARACTERS = 200
/** Tools of a turn that are kept, the latest ones. */
const MAX_TOOLS = 100

/** The tools that an answer of a model calls. */
const CALLS = sql`CASE WHEN json_typeof(${s.genMessageCompletion} -> 'tool_calls') = 'array'
  THEN ${s.genMessageCompletion} -> 'tool_calls' ELSE '[]'::json END`

/**
 * Finds the tools that were called since the last turn of each thread began, as a list in JSON; leaves
 * out threads without any. Kept for any rule, so that a new one needs no thread to be read again.
 */
export const findLastTools = async (
  db: Database,
  projectId: string,
  threads: readonly { id: string; lastTurn: Instant | null; mayCallTools: boolean }[],
): Promise<Map<string, EscapedText>> => {
  const calling = threads.filter(({ mayCallTools }) => mayCallTools)
  if (calling.length === 0) return new Map()
  const columns = select({
    id: s.threadId.narrow<string>(),
    tool: cast('text', sql`called.tool`),
    place: cast(
      'bigint',
      sql`row_number() OVER (PARTITION BY ${s.threadId} ORDER BY max(${startOfStep}) DESC, called.tool)`,
    ),
  })
  const { rows } = await sql`
    SELECT * FROM (
      SELECT ${columns}
      FROM unnest(${calling.map(({ id }) => id)}::text[], ${calling.map(({ lastTurn }) => lastTurn)}::timestamptz[])
        AS r (id, since)
      JOIN steps s ON s.project_id = ${projectId} AND s.thread_id = r.id
      CROSS JOIN LATERAL unnest(array_append(
        ARRAY(SELECT call #>> '{function,name}' FROM json_array_elements(${CALLS}) AS call),
        CASE WHEN s.type = 'tool' THEN s.name END
      )) AS called (tool)
      WHERE s.ingested AND ${startOfStep} >= coalesce(r.since, '-infinity')
        AND length(called.tool) BETWEEN 1 AND ${sql.lit(MAX_NAME_CHARACTERS)}
      GROUP BY s.thread_id, called.tool
    ) AS tools WHERE place <= ${sql.lit(MAX_TOOLS)}`.execute(db)
  const tools = new Map<string, string[]>()
  for (const { id, tool } of rows) tools.set(id, [...(tools.get(id) ?? []), tool])
  return new Map([...tools].map(([id, names]) => [id, new EscapedText(encodeJson(names))]))
}
