import type { Database } from '../database/database.js'
import { inSequence } from '../database/distribution/cluster.js'
import { cast } from '../database/rows/columns.js'
import { pick, type RowOf, type Selection, type Sql, select, sql } from '../database/rows/sql.js'
import { s, t } from '../database/rows/tables.js'
import { assignments, type Changes, valuesOf } from '../database/rows/writes.js'
import type { Instant } from '../kernel/instant.js'
import type { Condition, Kind } from '../lists/conditions.js'
import { findContaining } from '../lists/contents/find.js'
import {
  atMost,
  byMember,
  byPresence,
  byStart,
  byValue,
  creation,
  type Field,
  type IndexHint,
  indexed,
  instant,
  json,
  type OwnField,
  related,
  startOf,
  string,
  tags,
} from '../lists/fields.js'
import { contains } from '../lists/letter-case.js'
import { fieldsOf, type Listing, type OrdersOf } from '../lists/listing.js'
import { readInPortions } from '../lists/portions.js'
import { contentOfStep, findFirstTexts, inContents } from './contents/texts.js'
import { type StepOrigin, stepOrigin } from './erasure/notes.js'
import { checkFilesOf } from './files.js'
import { errorOfStep, hasFailed } from './reading/failures.js'
import { byStarts, started, startOfStep } from './reading/starts.js'
import { scoreOfStep } from './scores/scores.js'
import { ofUser } from './users.js'

/** Sent by the client, or derived from the generation. */
export const genType = cast(
  'text',
  sql`coalesce(${s.genType}, CASE
    WHEN ${s.genMessages} IS NULL AND ${s.genMessageCompletion} IS NULL
      AND (${s.genPrompt} IS NOT NULL OR ${s.genCompletion} IS NOT NULL)
    THEN 'COMPLETION' ELSE 'CHAT' END)`,
)

const ownColumns = select({
  ...pick(
    s,
    'id',
    'threadId',
    'rootRunId',
    'parentId',
    'type',
    'name',
    'startTime',
    'endTime',
    'createdAt',
    'error',
    'tags',
    'environment',
    'sessionId',
    'sequence',
    'hasGeneration',
    'genProvider',
    'genModel',
    'genPromptId',
    'genTokens',
    'genInputTokenCount',
    'genOutputTokenCount',
    'genUsage',
    'genCost',
    'genCostSource',
    'genCostPartial',
    'genCostRevision',
    'genTtFirstToken',
    'genDuration',
    'genTokenThroughput',
    'genError',
    'genTags',
  ),
  genType: genType.narrow<'CHAT' | 'COMPLETION'>(),
})
const columns = ownColumns.and(
  select(
    pick(
      s,
      'input',
      'output',
      'metadata',
      'genPrompt',
      'genCompletion',
      'genMessages',
      'genMessageCompletion',
      'genVariables',
      'genTools',
      'genSettings',
      'genMetadata',
    ),
  ),
)

export type StepRow = RowOf<typeof columns>

/** Rows of steps with their payloads, or without them. */
export type StepParts = 'all' | 'light'

/**
 * Leaves out payloads, which can be large, unless they are asked for: the database then does not even read them.
 * Callers that ask for light rows do not use them, so that rows have one type.
 */
const columnsOf = (parts: StepParts): Selection<StepRow> =>
  parts === 'light' ? (ownColumns as Selection<StepRow>) : columns

/** Returns the text of a payload that is one. */
export const contentOf = (payload: Sql) =>
  sql`(CASE WHEN json_typeof(${payload}) = 'object' THEN ${payload} ->> 'content' END)`

export const participantOfStep = (projectId: string) => ofUser(projectId, s.participantId)

const starts = byStarts(startOfStep)

/** The common part of lists of steps and of the generations that they carry. */
export const stepRows = (parts: StepParts) => ({
  table: sql`steps`,
  alias: sql`s`,
  columns: columnsOf(parts),
  id: s.id,
  projectId: s.projectId,
  createdAt: s.createdAt,
  texts: findFirstTexts,
  indexOrder: starts.indexOrder,
})
export const newestStep = {
  createdAt: { value: s.createdAt, type: 'timestamptz', isIndexed: true },
  ...starts.orders,
} as const

const reference = (value: Sql<string | null>) => indexed(string(value), byValue(value))
export const stepId = indexed(string(s.id), byValue(s.id))
export const stepEnvironment = reference(s.environment)
export const stepThread = reference(s.threadId)

/** A generation fails with its step, and a step with its generation. */
export const failureOfStep = inContents(
  indexed(string(errorOfStep), byPresence(errorOfStep, { isPresent: hasFailed })),
)

/** Values that few rows share come first: of several with an index, the first one leads. */
export const stepListing = (projectId: string, parts: StepParts = 'all'): Listing<StepRow> => ({
  name: 'steps',
  ...stepRows(parts),
  always: s.ingested,
  list: 'steps',
  fields: fieldsOf('steps', {
    id: stepId,
    threadId: stepThread,
    parentId: reference(s.parentId),
    rootRunId: reference(s.rootRunId),
    participantIdentifiers: participantOfStep(projectId),
    participantIdentifier: participantOfStep(projectId),
    error: inContents(indexed(string(s.error), byPresence(s.error, { narrowedBy: 'name' }))),
    failure: failureOfStep,
    name: inContents(indexed(string(s.name), byStart(startOf(s.name), { narrows: 'name' }))),
    type: indexed(string(s.type), byValue(s.type)),
    environment: stepEnvironment,
    createdAt: creation(s.createdAt),
    startedAt: started(startOfStep),
    startTime: instant(s.startTime),
    endTime: instant(s.endTime),
    input: inContents(json(s.input)),
    output: inContents(json(s.output)),
    content: contentOfStep,
    metadata: json(s.metadata),
    tags: indexed(tags(s.tags), byMember(s.tags)),
    score: scoreOfStep(projectId),
  }),
  orders: newestStep satisfies OrdersOf<'steps'>,
})

/**
 * A relation of threads to those of their steps that pass; `indexHint` is the condition in the form for an index of
 * steps.
 */
const byStep = (
  db: Database,
  projectId: string,
  test: Sql,
  indexHint: Sql | undefined,
  contained?: string | undefined,
) => {
  const threads = async (distinct: Sql, among: Sql) => {
    const { rows } = await sql`
      SELECT ${distinct} ${select({ threadId: s.threadId.narrow<string>() })} FROM steps s
      WHERE s.project_id = ${projectId} AND s.thread_id IS NOT NULL AND s.ingested AND ${test} AND ${among}`.execute(
      db,
    )
    return rows.map(({ threadId }) => threadId)
  }
  return {
    link: t.id,
    passing: (ids: readonly string[]) =>
      threads(sql`DISTINCT`, sql`s.thread_id = ANY(${ids}::text[])`),
    ...(indexHint === undefined && contained === undefined
      ? {}
      : {
          candidates: async (most: number) => {
            const listing = stepListing(projectId, 'light')
            const ids =
              contained && (await findContaining(db, projectId, listing, { test, contained }, most))
            const hint = ids ? sql`s.id = ANY(${ids}::text[])` : indexHint
            if (hint === undefined) return undefined
            const found = await threads(sql``, sql`${hint} LIMIT ${sql.lit(most + 1)}`)
            const few = atMost(most, found)
            return few && [...new Set(few)]
          },
        }),
  }
}

/** Filters threads by a condition on one of their steps. */
export const ofSomeStep = <Held extends Kind>(
  projectId: string,
  { kind, test, criterion }: OwnField<Held>,
  indexHint: (condition: Condition) => IndexHint | undefined = () => undefined,
): Field<Held> =>
  related(
    kind,
    (condition, db) => {
      const own = criterion(condition)
      const contained = 'relation' in own ? undefined : own.contained
      return byStep(db, projectId, test(condition), indexHint(condition)?.test, contained)
    },
    {
      opposites: 'some',
    },
  )

/** Filters threads by the types of their steps. */
export const stepTypes = (projectId: string): Field<'list'> =>
  related(
    'list',
    (condition, db) => {
      if (condition.operator === 'ilike')
        return byStep(db, projectId, contains(s.type, condition.value), undefined)
      const test = sql`s.type = ANY(${condition.value}::text[])`
      return byStep(db, projectId, test, test)
    },
    { opposites: 'none' },
  )

export const findSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  parts: StepParts = 'all',
): Promise<StepRow[]> => {
  const { rows } = await sql`
    SELECT ${columnsOf(parts)} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(
    db,
  )
  return rows
}

/** Returns the ids among these whose step has arrived. */
export const findArrivedSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<{ id: string }[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[]) AND s.ingested`.execute(db)
  return rows
}

/** Steps of threads that are read at once, whose answer needs one statement. Most threads have fewer. */
const STEPS_AT_ONCE = 200

/**
 * Returns the steps of threads, oldest first: by start time, else by arrival. Those of large threads are read in
 * portions, by their ids, so that others need not wait until all are read: what is deleted meanwhile is left out.
 */
export const findStepsOfThreads = async (
  db: Database,
  projectId: string,
  threadIds: readonly string[],
  types?: readonly string[] | null | undefined,
  parts: StepParts = 'all',
): Promise<StepRow[]> => {
  // The sum keeps a planner from walking the index of all steps by start, in the hope to meet these soon.
  const matching = sql`FROM steps s
    WHERE s.project_id = ${projectId} AND s.thread_id = ANY(${threadIds}::text[]) AND s.ingested
      ${types == null ? sql`` : sql`AND s.type = ANY(${types}::text[])`}
    ORDER BY ${startOfStep} + interval '0', s.created_at, s.id`
  const { rows: first } = await sql`
    SELECT ${columnsOf(parts)} ${matching} LIMIT ${STEPS_AT_ONCE}`.execute(db)
  if (first.length < STEPS_AT_ONCE) return first
  const { rows: all } = await sql`SELECT ${select(pick(s, 'id'))} ${matching}`.execute(db)
  const known = new Map(first.map((row) => [row.id, row]))
  const others = all.flatMap(({ id }) => (known.has(id) ? [] : id))
  const read = await readInPortions(others.length, async (from, count) => {
    const ids = others.slice(from, from + count)
    const found = new Map((await findSteps(db, projectId, ids, parts)).map((row) => [row.id, row]))
    return ids.map((id) => found.get(id))
  })
  for (const row of read) if (row !== undefined) known.set(row.id, row)
  return all.flatMap(({ id }) => known.get(id) ?? [])
}

/** Returns every step below a step, at any depth, oldest first. A cycle of parents ends where it closes. */
export const findDescendants = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<StepRow[]> => {
  const found = new Map<string, StepRow>()
  for (let parents = [id]; parents.length > 0; ) {
    const { rows } = await sql`
      SELECT ${columns} FROM steps s
      WHERE s.project_id = ${projectId} AND s.parent_id = ANY(${parents}::text[]) AND s.ingested`.execute(
      db,
    )
    const fresh = rows.filter((row) => row.id !== id && !found.has(row.id))
    for (const row of fresh) found.set(row.id, row)
    parents = fresh.map((row) => row.id)
  }
  const moment = (step: StepRow) => step.startTime ?? step.createdAt
  return [...found.values()].sort((a, b) =>
    moment(a) < moment(b) ? -1 : moment(a) > moment(b) ? 1 : a.createdAt < b.createdAt ? -1 : 1,
  )
}

const threadOfStep = select(pick(s, 'threadId'))

/** Updates the given columns. Returns the step's thread, or undefined when there is no such step. */
export const updateStep = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'steps'>,
): Promise<{ threadId: string | null } | undefined> => {
  const { rows } = await sql`
    UPDATE steps s SET ${assignments('steps', { ...changes, ingested: true })}
    WHERE s.project_id = ${projectId} AND s.id = ${id} RETURNING ${threadOfStep}`.execute(db)
  return rows[0]
}

/**
 * Ensures that there is a row for a step that others name before it arrives, and locks it, so that a deletion finds what
 * they add. Lists leave it out until the step arrives. Needs a transaction.
 */
export const ensureStep = async (
  db: Database,
  projectId: string,
  id: string,
  createdAt: Instant,
): Promise<{ threadId: string | null }> => {
  const row = { type: 'undefined', ingested: false, hasGeneration: false }
  for (;;) {
    await sql`
      INSERT INTO steps ${valuesOf('steps', { projectId, id, createdAt, ...row })}
      ON CONFLICT (project_id, id) DO NOTHING`.execute(db)
    const { rows } = await sql`
      SELECT ${threadOfStep} FROM steps s WHERE s.project_id = ${projectId} AND s.id = ${id} FOR UPDATE`.execute(
      db,
    )
    if (rows[0] !== undefined) return rows[0]
    // One that was there is being deleted meanwhile.
  }
}

/**
 * Deletes a step with all that belongs to it. Returns its thread and its participants, or undefined when there was no
 * such step. Needs a transaction.
 */
export const deleteStep = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<({ threadId: string | null } & StepOrigin) | undefined> => {
  await inSequence(db)
  const { rows } = await sql`
    DELETE FROM steps s WHERE s.project_id = ${projectId} AND s.id = ${id}
    RETURNING ${threadOfStep}, ${stepOrigin}`.execute(db)
  if (rows[0] === undefined) return undefined
  await sql`DELETE FROM scores WHERE project_id = ${projectId} AND step_id = ${id}`.execute(db)
  await sql`DELETE FROM span_logs WHERE project_id = ${projectId} AND step_id = ${id}`.execute(db)
  await checkFilesOf(db, projectId, sql`step_id = ${id}`)
  await sql`DELETE FROM attachments WHERE project_id = ${projectId} AND step_id = ${id}`.execute(db)
  return rows[0]
}
