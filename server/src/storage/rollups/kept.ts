import type { Database } from '../../database/database.js'
import { EscapedText, json } from '../../database/parameters.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { keptRollups, t } from '../../database/rows/tables.js'
import { encodeJson } from '../../database/text.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../metrics.js'
import type { SeriesItem } from './cells.js'
import { ofOneKey, type Rolled } from './read.js'
import { dimensionsOf, rowsOfSpans, UNSPLIT } from './series.js'
import {
  byRanges,
  HOUR,
  inSpan,
  type RolledSubject,
  type Source,
  type Span,
  SUBJECTS_OF,
} from './spans.js'

/** The series of an hour of a subject, by one property. */
export interface HourFigures {
  subject: RolledSubject
  dimension: string
  start: Instant
  series: SeriesItem[]
}

/** Measures some rows by the hour. They have to be locked, if nothing may change in between. */
export const measureHours = async (
  db: Database,
  projectId: string,
  source: Source,
  ids: readonly string[],
): Promise<HourFigures[]> => {
  const found: HourFigures[] = []
  if (ids.length === 0) return found
  for (const subject of SUBJECTS_OF[source]) {
    const test = sql`${SUBJECTS[subject].projectId} = ${projectId} AND ${SUBJECTS[subject].id} = ANY(${[...ids]}::text[])`
    const { rows } = await sql`
      SELECT ${rowColumns(subject)} FROM (${rowsOfSpans(subject, HOUR, test)}) AS r`.execute(db)
    found.push(...hoursOf(subject, rows))
  }
  return found
}

const rowColumns = (subject: RolledSubject) =>
  select({
    start: cast('timestamptz', sql`r.start`),
    keys: cast(
      'json',
      sql`json_build_array(${sql.join(dimensionsOf(subject).map((name) => sql.ref(`r.by_${name}`)))})`,
    ).narrow<(string | null)[]>(),
    environment: cast('text | null', sql`r.env`),
    hasFailed: cast('boolean', sql`r.failed`),
    input: cast('text | null', sql`r.input`),
    output: cast('text | null', sql`r.output`),
    tokens: cast('text | null', sql`r.tokens`),
    cost: cast('text | null', sql`r.cost`),
    unpriced: cast('float8 | null', sql`r.unpriced`),
    class: cast('integer | null', sql`r.class`),
  })

/** Returns the series of rows, each of one row. They are few: grouping them in the database would cost more. */
const hoursOf = (
  subject: RolledSubject,
  rows: readonly RowOf<ReturnType<typeof rowColumns>>[],
): HourFigures[] => {
  const hours = new Map<string, HourFigures>()
  const dimensions = dimensionsOf(subject)
  for (const { start, keys, ...row } of rows)
    for (const [place, dimension] of [UNSPLIT, ...dimensions].entries()) {
      const name = `${dimension} ${start}`
      const hour = hours.get(name) ?? { subject, dimension, start, series: [] }
      hours.set(name, hour)
      hour.series.push([
        row.environment,
        place === 0 ? null : (keys[place - 1] ?? null),
        1,
        Number(row.hasFailed),
        row.input,
        row.output,
        row.tokens,
        row.cost,
        row.unpriced ?? 0,
        row.class === null ? [] : [row.class],
        row.class === null ? [] : [1],
      ])
    }
  return [...hours.values()]
}

/** The kept figures of a span: `rest` is that of values past the most that are told apart, an item for each environment. */
export interface KeptSpan {
  subject: RolledSubject
  dimension: string
  seconds: number
  start: Instant
  series: SeriesItem[]
  rest: SeriesItem[]
}

const columns = {
  start: keptRollups.start,
  rest: keptRollups.rest.narrow<SeriesItem[]>(),
}

/** Returns those of some spans that have kept figures. */
export const findKeptSpans = async (
  db: Database,
  projectId: string,
  spans: readonly Pick<KeptSpan, 'subject' | 'dimension' | 'seconds' | 'start'>[],
): Promise<KeptSpan[]> => {
  const own = select({
    ...pick(keptRollups, 'dimension', 'seconds'),
    ...columns,
    subject: keptRollups.subject.narrow<RolledSubject>(),
    series: keptRollups.series.narrow<SeriesItem[]>(),
  })
  const { rows } = await sql`
    SELECT ${own} FROM kept_rollups
    WHERE project_id = ${projectId} AND (subject, dimension, seconds, start) IN (
      SELECT * FROM unnest(${spans.map(({ subject }) => subject)}::text[], ${spans.map(({ dimension }) => dimension)}::text[],
        ${spans.map(({ seconds }) => seconds)}::integer[], ${spans.map(({ start }) => start)}::timestamptz[]))`.execute(
    db,
  )
  return rows
}

/** Stores the kept figures of spans in place of what they were. Needs the reservation of the project's old data. */
export const storeKeptSpans = async (
  db: Database,
  projectId: string,
  spans: readonly KeptSpan[],
): Promise<void> => {
  if (spans.length === 0) return
  const texts = (values: readonly (readonly SeriesItem[])[]) =>
    values.map((value) => new EscapedText(encodeJson(value)))
  await sql`
    INSERT INTO kept_rollups (project_id, subject, dimension, seconds, start, series, rest)
    SELECT ${projectId}, * FROM unnest(${spans.map(({ subject }) => subject)}::text[],
      ${spans.map(({ dimension }) => dimension)}::text[], ${spans.map(({ seconds }) => seconds)}::integer[],
      ${spans.map(({ start }) => start)}::timestamptz[], ${texts(spans.map(({ series }) => series))}::json[],
      ${texts(spans.map(({ rest }) => rest))}::json[])
    ON CONFLICT (project_id, subject, dimension, seconds, start)
    DO UPDATE SET series = excluded.series, rest = excluded.rest`.execute(db)
}

/** Returns the kept figures of spans of a length that begin in some ranges. */
export const findKept = async (
  db: Database,
  { projectId, subject, dimension, only }: Rolled,
  seconds: number,
  ranges: readonly Span[],
): Promise<Pick<KeptSpan, 'start' | 'series' | 'rest'>[]> => {
  const own = select({ ...columns, series: ofOneKey(keptRollups.series, only) })
  const { rows } = await sql`
    SELECT ${own} FROM (${byRanges(
      ranges,
      (bounds) => sql`
        SELECT start, series, rest FROM kept_rollups
        WHERE project_id = ${projectId} AND subject = ${subject} AND dimension = ${dimension}
          AND seconds = ${seconds}::integer AND ${inSpan(keptRollups.start, bounds)}`,
    )}) AS kept_rollups`.execute(db)
  return rows
}

/** Returns true when there are kept figures of a range. */
export const hasKept = async (
  db: Database,
  projectId: string,
  subject: RolledSubject,
  range: Span,
): Promise<boolean> => {
  const { rows } = await sql`
    SELECT ${select(pick(keptRollups, 'start'))} FROM kept_rollups
    WHERE project_id = ${projectId} AND subject = ${subject} AND dimension = ${UNSPLIT}
      AND seconds = ${sql.lit(HOUR)} AND ${inSpan(keptRollups.start, range)} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** Notes the figures of a thread of which some steps are deleted now. */
export const noteFiguresBefore = async (
  db: Database,
  projectId: string,
  id: string,
  figures: readonly HourFigures[],
): Promise<void> => {
  await sql`
    UPDATE threads t SET figures_before = ${json(figures)}
    WHERE t.project_id = ${projectId} AND t.id = ${id}`.execute(db)
}

/** Returns the noted figures of some threads, by id. */
export const findFiguresBefore = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, HourFigures[]>> => {
  const noted = select({ id: t.id, figures: t.figuresBefore.narrow<HourFigures[]>() })
  const { rows } = await sql`
    SELECT ${noted} FROM threads t
    WHERE t.project_id = ${projectId} AND t.id = ANY(${[...ids]}::text[]) AND t.figures_before IS NOT NULL`.execute(
    db,
  )
  return new Map(rows.map(({ id, figures }) => [id, figures]))
}

/** Returns those of some threads whose sums are behind, unless their figures are noted already. */
export const findUnsummed = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(t, 'id'))} FROM threads t
    WHERE t.project_id = ${projectId} AND t.id = ANY(${[...ids]}::text[]) AND t.stale AND t.figures_before IS NULL`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
