import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, type Sql, select, sql } from '../../database/rows/sql.js'
import { c, s, t } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { type Range, SUBJECTS } from '../metrics.js'
import { type Bounds, countOfSpans, inSpan, ofSpans, type Span } from '../rollups/spans.js'
import { isMeasurable } from './measurable.js'

/** The scores of a range, or of a part of it, by their name if one is given. */
export interface MeasuredScores {
  range: Span & Pick<Range, 'matching'>
  name: string | null
}

/** The same, of a part whose bounds a statement may have. */
interface PartOfScores extends Omit<MeasuredScores, 'range'> {
  range: Bounds & Pick<Range, 'matching'>
}

const within = (projectId: string, { range: { from, to, matching }, name }: PartOfScores) => sql`
  c.project_id = ${projectId} AND ${inSpan(c.createdAt, { from, to })}
  ${name === null ? sql`` : sql`AND left(c.name, 200) = left(${name}::text, 200) AND c.name = ${name}`}
  ${matching === undefined ? sql`` : sql`AND (${matching})`}`

/** The number of values, their mean, and the sum of the squares of their distances from it. */
export interface Moments {
  count: number
  mean: number
  squares: number
}

/** Rows that scores do not count for. */
export interface LeftOut {
  stepIds: readonly string[]
  threadIds: readonly string[]
}

const isNoneOf = (id: Sql<string | null>, ids: readonly string[]) =>
  ids.length === 0
    ? sql``
    : sql`AND NOT EXISTS (SELECT 1 FROM unnest(${ids}::text[]) AS x (id) WHERE x.id = ${id})`

const none = cast('text | null', sql`NULL`)

/**
 * Sums up scores in each bucket of a range, by their names or together. With `leftOut`, those of experiments, of some steps and
 * of some threads are left out.
 */
export const sumScores = async (
  db: Database,
  projectId: string,
  scores: MeasuredScores & { range: Range },
  isByName: boolean,
  leftOut: LeftOut | undefined,
): Promise<(Moments & { key: string | null; bucket: number })[]> => {
  const { from, bucketSeconds } = scores.range
  const sums = select({
    key: isByName ? c.name : none,
    bucket: cast(
      'integer',
      sql`floor(extract(epoch FROM c.created_at - ${from}::timestamptz)::float8 / ${bucketSeconds}::float8)`,
    ),
    count: cast('integer', sql`count(*)`),
    mean: cast('float8', sql`avg(c.value)`),
    squares: cast('float8', sql`var_pop(c.value) * count(*)`),
  })
  const others =
    leftOut === undefined
      ? sql``
      : // A score of a thread may name a step too, and is the thread's.
        sql`AND c.dataset_experiment_item_id IS NULL ${isNoneOf(c.threadId, leftOut.threadIds)}
          ${isNoneOf(cast('text | null', sql`CASE WHEN c.thread_id IS NULL THEN c.step_id END`), leftOut.stepIds)}`
  const { rows } = await sql`
    SELECT ${sums} FROM scores c
    WHERE ${within(projectId, scores)} AND ${isMeasurable(c.value)} ${others}
    GROUP BY 1, 2`.execute(db)
  return rows
}

/** Returns true when a range, or some parts of it, have more scores than a number. */
export const hasMoreScores = async (
  db: Database,
  projectId: string,
  scores: MeasuredScores,
  most: number,
  spans: readonly Span[] = [scores.range],
): Promise<boolean> => {
  const counted = await countOfSpans(
    db,
    spans,
    most + 1,
    (bounds) => sql`SELECT c.id FROM scores c WHERE ${within(projectId, partOf(scores, bounds))}`,
  )
  return counted > most
}

const partOf = ({ range, name }: MeasuredScores, bounds: Bounds): PartOfScores => ({
  range: { ...range, ...bounds },
  name,
})

/** Names may have a megabyte, and are read in whole only where they are needed. */
const columnsOf = (nameCharacters: number | undefined) =>
  select({
    ...pick(c, 'id', 'stepId', 'threadId', 'datasetExperimentItemId', 'value', 'createdAt'),
    name:
      nameCharacters === undefined
        ? c.name
        : cast('text', sql`left(${c.name}, ${sql.lit(nameCharacters)})`),
  })

export type MeasuredScore = RowOf<ReturnType<typeof columnsOf>>

/** Returns the next of the scores that can be averaged of some parts of a range, by their creation. */
export const findMeasuredScores = async (
  db: Database,
  projectId: string,
  scores: MeasuredScores,
  spans: readonly Span[],
  after: { createdAt: Instant; id: string } | undefined,
  { most, nameCharacters }: { most: number; nameCharacters?: number | undefined },
): Promise<MeasuredScore[]> => {
  const { rows } = await sql`
    SELECT ${columnsOf(nameCharacters)} FROM (${ofSpans(
      after === undefined ? spans : spansBehind(spans, after.createdAt),
      (span) => sql`
        SELECT * FROM scores c
        WHERE ${within(projectId, partOf(scores, span))} AND ${isMeasurable(c.value)} ${behind(span, after)}`,
    )}) AS c
    ORDER BY c.created_at, c.id LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}

const spansBehind = (spans: readonly Span[], moment: Instant): Span[] =>
  spans
    .filter(({ to }) => to > moment)
    .map(({ from, to }) => ({ from: from > moment ? from : moment, to }))

/** Holds for scores behind a place. Parts that begin later go without: their index would be read from there. */
const behind = ({ from }: Span, after: { createdAt: Instant; id: string } | undefined) =>
  after === undefined || from > after.createdAt
    ? sql``
    : sql`AND (c.created_at, c.id) > (${after.createdAt}::timestamptz, ${after.id}::text)`

/** Returns the ids of the steps and threads of experiments, if there are few; undefined for more of either. */
export const findOfExperiments = async (
  db: Database,
  projectId: string,
  most: number,
): Promise<LeftOut | undefined> => {
  const steps = await sql`
    SELECT ${select(pick(s, 'id'))} FROM steps s
    WHERE s.project_id = ${projectId} AND s.environment = 'experiment' AND s.ingested
    LIMIT ${sql.lit(most + 1)}`.execute(db)
  if (steps.rows.length > most) return undefined
  const threads = await sql`
    SELECT ${select(pick(t, 'id'))} FROM threads t
    WHERE t.project_id = ${projectId} AND t.environment = 'experiment'
    LIMIT ${sql.lit(most + 1)}`.execute(db)
  if (threads.rows.length > most) return undefined
  return {
    stepIds: steps.rows.map(({ id }) => id),
    threadIds: threads.rows.map(({ id }) => id),
  }
}

const said = select(pick(s, 'id', 'environment', 'participantId'))

/** The properties of a step or thread that is scored; `values` are those of some dimensions. */
export type ScoredRow = RowOf<typeof said> & { values: (string | null)[] }

/** Selects the values of some dimensions of a subject, null for those that it does not have. */
const valuesOf = (subject: 'generations' | 'threads', dimensions: readonly string[]) => {
  const known: Record<string, Sql<string | null>> = SUBJECTS[subject].dimensions
  return cast(
    'json',
    sql`json_build_array(${sql.join(dimensions.map((name) => known[name] ?? none))})`,
  ).narrow<(string | null)[]>()
}

/** Returns the environment, the user, and the values of some dimensions, of some steps. */
export const findScoredSteps = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  dimensions: readonly string[],
): Promise<ScoredRow[]> => {
  const { rows } = await sql`
    SELECT ${said}, ${select({ values: valuesOf('generations', dimensions) })} FROM steps s
    WHERE s.project_id = ${projectId} AND s.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

const saidOfThread = select(pick(t, 'id', 'environment', 'participantId'))

/** Returns the environment, the user, and the values of some dimensions, of some threads. */
export const findScoredThreads = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  dimensions: readonly string[],
): Promise<ScoredRow[]> => {
  const { rows } = await sql`
    SELECT ${saidOfThread}, ${select({ values: valuesOf('threads', dimensions) })} FROM threads t
    WHERE t.project_id = ${projectId} AND t.id = ANY(${ids}::text[])`.execute(db)
  return rows
}
