import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { s } from '../../database/rows/tables.js'
import { saidByPeople } from '../../kernel/excerpts/people.js'
import { MAX_EXCERPT, shorten } from '../../kernel/excerpts/shorten.js'
import { findAndFill } from '../excerpts/excerpts.js'
import { errorOfStep } from '../reading/failures.js'
import { startOfStep } from '../reading/starts.js'
import { contentOf } from '../steps.js'
import { isOf, type StepsOfThreads } from './steps-of-threads.js'

const FIRST_MESSAGE_CHARACTERS = 300
/** Bytes of a list of messages and of one message up to which they are searched for words of people. */
const MAX_SEARCHED = 100_000
const MAX_MESSAGE = 20_000
/** Messages of people that are looked at, from the end. */
const MAX_MESSAGES = 3

/** Holds for a step outside all others that is part of no conversation itself. */
const isRoot = sql`${s.parentId} IS NULL AND NOT ${s.hasGeneration}
  AND ${s.type} NOT IN ('user_message', 'assistant_message', 'system_message', 'tool')`

/** The steps that tell what a user said, those that tell it best first; null for all others. */
const QUESTION = sql`CASE WHEN ${s.type} = 'user_message' THEN 1 WHEN ${isRoot} AND ${s.input} IS NOT NULL THEN 2
  WHEN ${s.hasGeneration} THEN 3 END`
/** The same of what a user was answered. */
const ANSWER = sql`CASE WHEN ${s.type} = 'assistant_message' THEN 1 WHEN ${isRoot} AND ${s.output} IS NOT NULL THEN 2
  WHEN ${s.hasGeneration} AND ${s.genError} IS NULL THEN 3 END`

const telling = select({ ...pick(s, 'id', 'type'), threadId: s.threadId.narrow<string>() })

export type Telling = RowOf<typeof telling>

const earliest = sql`${startOfStep}, ${s.createdAt}, ${s.id}`
const latest = sql`${startOfStep} DESC, ${s.createdAt} DESC, ${s.id} DESC`

/** Makes a search for the step of each thread that tells something first or last. */
const findTelling =
  (kind: Sql, order: Sql) =>
  async (db: Database, projectId: string, searched: StepsOfThreads): Promise<Telling[]> => {
    const { rows } = await sql`
      SELECT DISTINCT ON (s.thread_id) ${telling} FROM steps s
      WHERE s.project_id = ${projectId} AND ${isOf(searched)} AND s.ingested AND ${kind} IS NOT NULL
      ORDER BY s.thread_id, ${kind}, ${order}`.execute(db)
    return rows
  }

/** Finds the step of each thread that tells best what a user said first. */
export const findQuestions = findTelling(QUESTION, earliest)
/** Finds the step of each thread that tells best what was answered last. */
export const findAnswers = findTelling(ANSWER, latest)

/** Returns the list of messages that a value is or has; null without one. */
const messagesIn = (value: Sql) => sql`CASE WHEN json_typeof(${value}) = 'array' THEN ${value}
  WHEN json_typeof(${value}) = 'object' AND json_typeof(${value} -> 'messages') = 'array' THEN ${value} -> 'messages' END`
const asked = sql`CASE WHEN ${s.genMessages} IS NOT NULL THEN ${messagesIn(s.genMessages)}
  WHEN ${s.genPrompt} IS NULL THEN ${messagesIn(s.input)} END`
const list = sql`coalesce(${s.genMessages}, ${s.input})`
/**
 * Tested before the list is read, as only functions that are immutable may make a table on a distributed database. Repetitive
 * texts are stored in a hundredth of their size: the first test spares their reading, the second bounds it.
 */
const isLarge = sql`pg_column_size(${list}) > ${sql.lit(MAX_SEARCHED)} OR octet_length(${list}::text) > ${sql.lit(MAX_SEARCHED)}`
const ofPeople = select({
  ...pick(s, 'id'),
  messages: cast(
    'json | null',
    sql`(CASE WHEN ${isLarge} THEN NULL ELSE (
      SELECT to_json((array_agg(m.value ORDER BY m.place DESC))[1:${sql.lit(MAX_MESSAGES)}])
      FROM json_array_elements(${asked}) WITH ORDINALITY AS m (value, place)
      WHERE m.value ->> 'role' IN ('user', 'human') AND octet_length(m.value::text) <= ${sql.lit(MAX_MESSAGE)}
    ) END)`,
  ),
})

/** Reads the last words of people in what some calls or runs were asked, which may end with those of a tool. */
const findWordsOfPeople = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<(readonly [id: string, words: string])[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql`
    SELECT ${ofPeople} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows.flatMap(({ id, messages }) => {
    const words = Array.isArray(messages) ? saidByPeople(messages) : ''
    return words === '' ? [] : [[id, words] as const]
  })
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

/** Reads the beginning of what users said in some steps, by the ids of their threads. */
export const readQuestions = async (
  db: Database,
  projectId: string,
  first: readonly Telling[],
): Promise<Map<string, string>> => {
  const messages = first.filter(({ type }) => type === 'user_message')
  const text = sql`left(coalesce(${contentOf(s.output)}, ${contentOf(s.input)}, ${s.name}), ${sql.lit(FIRST_MESSAGE_CHARACTERS)})`
  const { rows } = await sql`
    SELECT ${select({ ...pick(s, 'id'), text: cast('text | null', text) })}
    FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${idsOf(messages)}::text[])`.execute(
    db,
  )
  const others = first.filter(({ type }) => type !== 'user_message')
  const excerpts = await findAndFill(db, projectId, idsOf(others))
  const words = await findWordsOfPeople(db, projectId, idsOf(others))
  return ofThreads(
    first,
    new Map([
      ...rows.map(({ id, text }) => [id, text] as const),
      ...excerpts.map(({ id, input }) => [id, input] as const),
      ...words,
    ]),
  )
}

/** Reads the beginning of what was answered in some steps, by the ids of their threads. */
export const readAnswers = async (
  db: Database,
  projectId: string,
  last: readonly Telling[],
): Promise<Map<string, string>> => {
  const excerpts = new Map(
    (await findAndFill(db, projectId, idsOf(last))).map((row) => [row.id, row]),
  )
  return ofThreads(
    last,
    new Map(
      last.map(({ id, type }) => {
        const { input = null, output = null } = excerpts.get(id) ?? {}
        // A message is recorded as the one or the other.
        return [id, output || (type === 'assistant_message' ? input : null)]
      }),
    ),
  )
}

const ofThreads = (
  steps: readonly { id: string; threadId: string }[],
  texts: ReadonlyMap<string, string | null>,
): Map<string, string> =>
  new Map(
    steps.flatMap(({ id, threadId }) => {
      const text = texts.get(id)
      return text ? [[threadId, text] as const] : []
    }),
  )

const failure = select({
  ...pick(s, 'id'),
  threadId: s.threadId.narrow<string>(),
  error: cast('text', sql`left(${errorOfStep}, ${sql.lit(10 * MAX_EXCERPT)})`),
})

/** Finds the first step with an error of each thread, with the beginning of the error. */
export const findFailures = async (
  db: Database,
  projectId: string,
  searched: StepsOfThreads,
): Promise<{ id: string; threadId: string; error: string }[]> => {
  const { rows } = await sql`
    SELECT DISTINCT ON (s.thread_id) ${failure} FROM steps s
    WHERE s.project_id = ${projectId} AND ${isOf(searched)} AND s.ingested AND ${errorOfStep} IS NOT NULL
    ORDER BY s.thread_id, ${earliest}`.execute(db)
  return rows.map((row) => ({ ...row, error: shorten(row.error.replace(/\s+/g, ' ').trim()) }))
}
