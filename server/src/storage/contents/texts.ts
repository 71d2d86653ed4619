import type { Database } from '../../database/database.js'
import { isTooSlow } from '../../database/failures.js'
import { EscapedText } from '../../database/parameters.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { encodeJson } from '../../database/text.js'
import { DomainError } from '../../kernel/errors.js'
import type { Condition } from '../../lists/conditions.js'
import { type OwnField, positive, type Test } from '../../lists/fields.js'
import { contains, foldCase, foldedHere } from '../../lists/letter-case.js'
import { startOfStep } from '../reading/starts.js'

/** The texts of a step that are searched, and those that are JSON. */
const TEXTS = [s.name, s.error, s.genPrompt, s.genCompletion, s.genError] as const
const JSON_TEXTS = [s.input, s.output, s.genMessages, s.genMessageCompletion] as const

const asText = (value: Sql) => sql`${value}::text`

/** Joins the texts. A piece that spans two of them only makes the index less exact. */
const allTexts = sql`concat_ws(E'\n', ${sql.join([...TEXTS, ...JSON_TEXTS.map(asText)])})`
const micros = (time: Sql) => cast('float8', sql`extract(epoch FROM ${time}) * 1000000`)

const columnsWith = (text: Sql) =>
  select({
    ...pick(s, 'id'),
    text: cast('text', text),
    createdAt: micros(s.createdAt),
    startedAt: micros(startOfStep),
  })
const asTheyAre = columnsWith(allTexts)
const folded = columnsWith(foldCase(allTexts))
/** A step with its texts, in the form in which they are compared. */
export type TextRow = RowOf<typeof folded>

const readTexts = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  columns: typeof folded,
): Promise<TextRow[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql`
    SELECT ${columns} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.ingested`.execute(db)
  return rows
}

/** Reads the texts of steps; those that were deleted or never arrived are left out. */
const findTexts = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<TextRow[]> => {
  const byId = new Map<string, TextRow>()
  const left: string[] = []
  for (const row of await readTexts(db, projectId, ids, asTheyAre)) {
    const text = foldedHere(row.text)
    if (text === undefined) left.push(row.id)
    else byId.set(row.id, { ...row, text })
  }
  for (const row of await readTexts(db, projectId, left, folded)) byId.set(row.id, row)
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Bytes, as stored, of steps whose texts are read at once. A statement with more of them would hold the embedded database,
 * and with it all other keys.
 */
const MOST_BYTES = 2_000_000
const storedBytes = cast(
  'float8',
  sql`${sql.join(
    [...TEXTS, ...JSON_TEXTS].map((text) => sql`coalesce(pg_column_size(${text}), 0)`),
    sql` + `,
  )}`,
)
const sizeColumns = select({ ...pick(s, 'id'), bytes: storedBytes })

/** Returns how many of some steps to read at once: at least the first one. The sizes are known without the texts. */
const countWithin = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<number> => {
  const { rows } = await sql`
    SELECT ${sizeColumns} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.ingested`.execute(db)
  const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]))
  let total = 0
  const end = ids.findIndex((id) => {
    total += sizes.get(id) ?? 0
    return total > MOST_BYTES
  })
  return end === -1 ? ids.length : Math.max(end, 1)
}

/** Reads the texts of the first of some steps: of fewer where they are large. */
export const findFirstTexts = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ rows: TextRow[]; read: number }> => {
  // Texts that repeat themselves are much longer than they are stored.
  for (let read = await countWithin(db, projectId, ids); ; read = Math.ceil(read / 8))
    try {
      return { rows: await findTexts(db, projectId, ids.slice(0, read)), read }
    } catch (error) {
      const isTooMuch =
        isTooSlow(error) || (error instanceof DomainError && error.code === 'TOO_LARGE')
      if (!isTooMuch || read === 1) throw error
    }
}

/** Tests if one of the texts of a step contains another one: as it is, or as JSON has it. */
const someContains = ({ value }: { value: string }): Test => {
  const parts = [...TEXTS, ...JSON_TEXTS.map(asText)].map((text) => contains(text, value))
  const escaped = encodeJson(value).slice(1, -1)
  if (escaped !== value)
    for (const text of JSON_TEXTS) parts.push(contains(asText(text), new EscapedText(escaped)))
  return sql`(${sql.join(parts, sql` OR `)})`
}

const someEquals = ({ value }: { value: string }): Test => {
  const json = sql`${new EscapedText(encodeJson(value))}::text`
  return sql`(${sql.join(
    [
      ...TEXTS.map((text) => sql`coalesce(${text} = ${value}, false)`),
      ...JSON_TEXTS.map((text) => sql`coalesce(${asText(text)} = ${json}, false)`),
    ],
    sql` OR `,
  )})`
}

const test = (given: Condition): Test => {
  const { condition, isNegated } = positive(given)
  const value = String(condition.value)
  const found = condition.operator === 'eq' ? someEquals({ value }) : someContains({ value })
  return isNegated ? sql`NOT ${found}` : found
}

/** Adds the index of contents to a field of a step that is among its texts. */
export const inContents = <Field extends OwnField>(field: Field): Field => ({
  ...field,
  criterion: (condition: Condition) => ({
    ...field.criterion(condition),
    contained: condition.operator === 'ilike' ? condition.value : undefined,
  }),
})

/** Compares all texts of a step. */
export const contentOfStep: OwnField<'string'> = inContents({
  kind: 'string',
  test,
  criterion: (condition) => ({ test: test(condition) }),
})
