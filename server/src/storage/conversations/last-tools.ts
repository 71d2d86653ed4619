import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { startOfStep } from '../reading/starts.js'

/** Characters of the longest name that a rule can have. */
export const MAX_NAME_CHARACTERS = 200
/** Tools of a turn that are kept, the latest ones. */
const MAX_TOOLS = 100

/** The tools that an answer of a model calls. */
const CALLS = sql`CASE WHEN json_typeof(${s.genMessageCompletion} -> 'tool_calls') = 'array'
  THEN ${s.genMessageCompletion} -> 'tool_calls' ELSE '[]'::json END`

/** A tool that was called in a thread, and the start of the step that called it last. */
export interface CalledTool {
  threadId: string
  tool: string
  start: Instant
}

/** Finds the tools that were called last since the last turn of each thread began, by all of its steps or some of them. */
export const findLastTools = async (
  db: Database,
  projectId: string,
  threads: readonly { id: string; lastTurn: Instant | null; mayCallTools: boolean }[],
  stepIds?: readonly string[],
): Promise<CalledTool[]> => {
  const calling = threads.filter(({ mayCallTools }) => mayCallTools)
  if (calling.length === 0) return []
  const start = sql`max(${startOfStep})`
  const columns = select({
    threadId: s.threadId.narrow<string>(),
    tool: cast('text', sql`called.tool`),
    start: cast('timestamptz', start),
    place: cast(
      'bigint',
      sql`row_number() OVER (PARTITION BY ${s.threadId} ORDER BY ${start} DESC, called.tool)`,
    ),
  })
  const { rows } = await sql`
    SELECT * FROM (
      SELECT ${columns}
      FROM unnest(${calling.map(({ id }) => id)}::text[], ${calling.map(({ lastTurn }) => lastTurn)}::timestamptz[])
        AS r (id, since)
      JOIN steps s ON s.project_id = ${projectId} AND ${
        stepIds === undefined
          ? sql`s.thread_id = r.id`
          : sql`s.id = ANY(${[...stepIds]}::text[]) AND coalesce(s.thread_id, '') = r.id`
      }
      CROSS JOIN LATERAL unnest(array_append(
        ARRAY(SELECT call #>> '{function,name}' FROM json_array_elements(${CALLS}) AS call),
        CASE WHEN s.type = 'tool' THEN s.name END
      )) AS called (tool)
      WHERE s.ingested AND ${startOfStep} >= coalesce(r.since, '-infinity')
        AND length(called.tool) BETWEEN 1 AND ${sql.lit(MAX_NAME_CHARACTERS)}
      GROUP BY s.thread_id, called.tool
    ) AS tools WHERE place <= ${sql.lit(MAX_TOOLS)}`.execute(db)
  return rows
}

/** Returns the names of the latest of these tools of each thread, the latest first. */
export const latestTools = (tools: readonly CalledTool[]): Map<string, string[]> => {
  const starts = new Map<string, Map<string, Instant>>()
  for (const { threadId, tool, start } of tools) {
    const known = starts.get(threadId) ?? new Map<string, Instant>()
    starts.set(threadId, known)
    if (start > (known.get(tool) ?? '')) known.set(tool, start)
  }
  return new Map(
    [...starts].map(([threadId, known]) => [
      threadId,
      [...known]
        .sort(([name, start], [other, its]) => compare(its, start) || compare(name, other))
        .slice(0, MAX_TOOLS)
        .map(([name]) => name),
    ]),
  )
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
