import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { portionsOf } from '../../database/portions.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { encodeJson } from '../../database/text.js'
import { inAttempts } from '../../database/transactions/attempts.js'
import { excerptOf } from '../../kernel/excerpts/excerpt.js'
import { EXCERPTS, STEP_COLUMNS } from '../ingestion/columns.js'
import { contentOf } from '../steps.js'

type Value = keyof typeof EXCERPTS
const VALUES = Object.keys(EXCERPTS) as Value[]

/** Steps without excerpts that are read at once, and the bytes up to which a value of theirs is read in full. */
const FILLED_AT_ONCE = { mostRows: 100, mostWeight: Number.POSITIVE_INFINITY }
const MAX_WHOLE = 20_000
/** Characters of a larger value that are read. */
const BEGINNING = 1000

/** The first of these that says something, else the last. */
const saying = (...excerpts: [...Sql[], Sql]) =>
  cast(
    'text | null',
    sql`coalesce(${sql.join(excerpts.map((excerpt) => sql`nullif(${excerpt}, '')`))}, ${excerpts.at(-1)})`,
  )

const isMissing = (value: Value) => sql`(${s[value]} IS NOT NULL AND ${s[EXCERPTS[value]]} IS NULL)`

const columns = select({
  id: s.id,
  input: saying(s.genMessagesExcerpt, s.genPromptExcerpt, s.inputExcerpt),
  output: saying(s.genMessageCompletionExcerpt, s.genCompletionExcerpt, s.outputExcerpt),
  isIncomplete: cast('boolean', sql.join(VALUES.map(isMissing), sql` OR `)),
})

export type ExcerptRow = RowOf<typeof columns>

/** Reads what steps say, each in a line. Computes and stores the excerpts of those that were stored without. */
export const findExcerpts = (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ExcerptRow[]> => inAttempts(() => findAndFill(db, projectId, ids))

/** Does the same in a transaction, which its caller repeats after a conflict. */
export const findAndFill = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ExcerptRow[]> => {
  if (ids.length === 0) return []
  const rows = await find(db, projectId, ids)
  const incomplete = rows.filter(({ isIncomplete }) => isIncomplete)
  if (incomplete.length === 0) return rows
  for (const portion of portionsOf(incomplete, FILLED_AT_ONCE))
    await fill(
      db,
      projectId,
      portion.map(({ id }) => id),
    )
  return find(db, projectId, ids)
}

const find = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ExcerptRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/** Reads a text in full, or its beginning. */
const beginningOf = (text: Sql) => sql`to_json(left(${text}, ${sql.lit(BEGINNING)}))`

/** Reads a value without an excerpt: all of a small one, of larger messages the last, of others the beginning. */
const unread = (value: Value) => {
  const column = s[value]
  if (value === 'genPrompt' || value === 'genCompletion')
    return cast('json | null', sql`CASE WHEN ${isMissing(value)} THEN ${beginningOf(column)} END`)
  const last = sql`(CASE WHEN json_typeof(${column}) = 'array' THEN ${column} -> -1 ELSE ${column} END)`
  return cast(
    'json | null',
    sql`CASE WHEN NOT ${isMissing(value)} THEN NULL
      WHEN octet_length(${column}::text) <= ${sql.lit(MAX_WHOLE)} THEN ${column}
      WHEN octet_length(${last}::text) <= ${sql.lit(MAX_WHOLE)} THEN ${last}
      ELSE ${beginningOf(sql`coalesce(${contentOf(last)}, ${last}::text)`)} END`,
  )
}

const values = select({
  ...pick(s, 'id'),
  input: unread('input'),
  output: unread('output'),
  genPrompt: unread('genPrompt'),
  genCompletion: unread('genCompletion'),
  genMessages: unread('genMessages'),
  genMessageCompletion: unread('genMessageCompletion'),
})

const names = VALUES.map((value) => STEP_COLUMNS[EXCERPTS[value]].column)
/** A value may have been deleted since it was read, or replaced by one with an excerpt. */
const FILL = sql.raw(
  VALUES.map((value) => {
    const name = STEP_COLUMNS[EXCERPTS[value]].column
    return `${name} = CASE WHEN s.${STEP_COLUMNS[value].column} IS NOT NULL THEN coalesce(s.${name}, r.${name}) END`
  }).join(', '),
)
const RECORD = sql.raw(`(id text, ${names.map((name) => `${name} text`).join(', ')})`)

const fill = async (db: Database, projectId: string, ids: readonly string[]): Promise<void> => {
  const { rows } = await sql`
    SELECT ${values} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  const records = rows.map((row) => ({
    id: row.id,
    ...Object.fromEntries(VALUES.map((value, index) => [names[index], excerptOf(row[value])])),
  }))
  await sql`
    UPDATE steps s SET ${FILL}
    FROM json_to_recordset(${new EscapedText(encodeJson(records))}::json) AS r ${RECORD}
    WHERE s.project_id = ${projectId} AND s.id = r.id`.execute(db)
}
