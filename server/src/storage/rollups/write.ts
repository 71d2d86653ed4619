import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { rollupFills, rollupMarks } from '../../database/rows/tables.js'
import type { Instant } from '../../kernel/instant.js'
import { SUBJECTS } from '../metrics.js'
import { cellSums, measuredColumns, seriesItem } from './cells.js'
import {
  inSpan,
  ofSpans,
  type RolledSubject,
  type Source,
  type Span,
  SUBJECTS_OF,
  startOfSpan,
} from './spans.js'

/** Series of a span by one property. A span that has more is read from its rows. */
const MAX_SERIES = 200
/** Properties with too many values to keep them. */
const NOT_ROLLED = ['user', 'environment']
/** The property of series that nothing splits. Each series is of one environment. */
export const UNSPLIT = 'none'

/** Returns the properties by which a subject's rows are measured ahead. */
export const dimensionsOf = (subject: RolledSubject): string[] =>
  Object.keys(SUBJECTS[subject].dimensions).filter((name) => !NOT_ROLLED.includes(name))

/** A group of marks. */
export interface MarkGroup {
  projectId: string
  source: Source
  seconds: number
}

/** Returns the group of marks that follows another one in the order of an index. */
export const findMarkGroup = async (
  db: Database,
  after: MarkGroup | undefined,
): Promise<MarkGroup | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ projectId: rollupMarks.projectId, source: rollupMarks.source.narrow<Source>(), seconds: rollupMarks.seconds })}
    FROM rollup_marks
    ${after === undefined ? sql`` : sql`WHERE (project_id, source, seconds) > (${after.projectId}, ${after.source}, ${after.seconds}::integer)`}
    ORDER BY project_id, source, seconds LIMIT 1`.execute(db)
  return rows[0]
}

/** Returns true when rows are marked as they are written: not in a distributed database. */
export const hasMarks = async (db: Database): Promise<boolean> => {
  const { rows } = await sql`
    SELECT ${select({ name: cast('text', sql`tgname`) })} FROM pg_trigger
    WHERE tgrelid = 'steps'::regclass AND tgname = 'rollup_steps_update'`.execute(db)
  return rows.length > 0
}

/**
 * Makes other processes leave a project's measurements alone until the transaction ends. Returns false when another one has
 * them. Without it, a span could be replaced by an earlier measurement.
 */
export const reserveRollups = async (db: Database, projectId: string): Promise<boolean> => {
  const reserved = cast(
    'boolean',
    sql`pg_try_advisory_xact_lock(hashtext(${`stepwell rollups ${projectId}`}))`,
  )
  const { rows } = await sql`SELECT ${select({ reserved })}`.execute(db)
  return rows[0]?.reserved ?? false
}

/** Returns the newest marked spans of a group that were marked some time ago, and the marks of its first rows. */
export const findMarked = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  quietSeconds: number,
  most: number,
): Promise<Instant[]> => {
  const { rows } = await sql`
    SELECT ${select({ start: rollupMarks.start })} FROM rollup_marks
    WHERE project_id = ${projectId} AND source = ${source} AND seconds = ${seconds}::integer
    GROUP BY start HAVING min(marked_at) <= now() - make_interval(secs => ${quietSeconds}::float8)
    ORDER BY start DESC LIMIT ${sql.lit(most)}`.execute(db)
  return rows.map(({ start }) => start)
}

/** Marks spans; `age` is the time for which they count as marked already. */
export const mark = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  starts: readonly Instant[],
  ageSeconds = 0,
): Promise<void> => {
  await sql`
    INSERT INTO rollup_marks (project_id, source, seconds, start, marked_at)
    SELECT ${projectId}, ${source}, ${seconds}::integer, r.start, now() - make_interval(secs => ${ageSeconds}::float8)
    FROM unnest(${[...starts]}::timestamptz[]) AS r (start)`.execute(db)
}

/**
 * Measures spans anew from their rows, and takes their marks. Marks are taken first: a transaction that commits in the
 * meantime leaves marks of its own, so that nothing is missed. Spans with few rows are left out, and so are those with too many series.
 */
export const measureSpans = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  starts: readonly Instant[],
  fewestRows: number,
): Promise<void> => {
  await sql`
    DELETE FROM rollup_marks
    WHERE project_id = ${projectId} AND source = ${source} AND seconds = ${seconds}::integer
      AND start = ANY(${[...starts]}::timestamptz[])`.execute(db)
  await sql`
    DELETE FROM rollups
    WHERE project_id = ${projectId} AND subject = ANY(${[...SUBJECTS_OF[source]]}::text[])
      AND seconds = ${seconds}::integer AND start = ANY(${[...starts]}::timestamptz[])`.execute(db)
  for (const name of SUBJECTS_OF[source]) {
    const subject = SUBJECTS[name]
    const dimensions = dimensionsOf(name)
    const columns = dimensions.map(
      (dimension) => sql`${subject.dimensions[dimension]} AS ${sql.ref(`by_${dimension}`)}`,
    )
    const parts = [UNSPLIT, ...dimensions].map((dimension) => {
      const key = dimension === UNSPLIT ? sql`NULL::text` : sql.ref(`by_${dimension}`)
      return sql`
        SELECT ${dimension}::text AS dimension, start, json_agg(item) AS series FROM (
          SELECT start, sum(n) AS n, ${seriesItem} AS item FROM (
            SELECT start, env, ${key} AS key, class, ${cellSums} FROM r GROUP BY 1, 2, 3, 4) AS cells
          GROUP BY start, env, key) AS items
        GROUP BY start HAVING count(*) <= ${sql.lit(MAX_SERIES)} AND sum(n) >= ${sql.lit(fewestRows)}`
    })
    await sql`
      INSERT INTO rollups (project_id, subject, dimension, seconds, start, series)
      WITH r AS MATERIALIZED (${ofSpans(
        joined(starts, seconds),
        (span) => sql`
          SELECT ${startOfSpan(subject.startedAt, seconds)} AS start, ${measuredColumns(subject)}
            ${columns.length === 0 ? sql`` : sql`, ${sql.join(columns)}`}
          FROM ${subject.table}
          WHERE ${subject.projectId} = ${projectId} AND ${subject.always}
            AND ${inSpan(subject.startedAt, span)}`,
      )})
      SELECT ${projectId}, ${name}, m.dimension, ${seconds}::integer, m.start, m.series
      FROM (${sql.join(parts, sql` UNION ALL `)}) AS m`.execute(db)
  }
}

/** Returns spans of one length as ranges, neighbouring ones as one. */
const joined = (starts: readonly Instant[], seconds: number): Span[] => {
  const ranges: Span[] = []
  for (const from of [...starts].sort()) {
    const to = after(from, seconds)
    const last = ranges.at(-1)
    if (last?.to === from) last.to = to
    else ranges.push({ from, to })
  }
  return ranges
}

/** Returns the moment that is some seconds after a whole one. */
export const after = (start: Instant, seconds: number): Instant =>
  `${new Date(Date.parse(start) + seconds * 1000).toISOString().slice(0, 23)}000Z`

/** The rows of a project from before there were marks: those from `reached` on are marked. */
export interface Fill {
  projectId: string
  source: Source
  reached: Instant | null
}

export const findFill = async (db: Database, after = ''): Promise<Fill | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ ...pick(rollupFills, 'projectId', 'reached'), source: rollupFills.source.narrow<Source>() })}
    FROM rollup_fills WHERE project_id > ${after} ORDER BY project_id, source LIMIT 1`.execute(db)
  return rows[0]
}

/** Returns the hour of the last row before a moment. */
export const findHourBefore = async (
  db: Database,
  { projectId, source, reached }: Fill,
  hourSeconds: number,
): Promise<Instant | undefined> => {
  const { table, startedAt, projectId: owner, always } = SUBJECTS[source]
  const start = cast('timestamptz', startOfSpan(startedAt, hourSeconds))
  const { rows } = await sql`
    SELECT ${select({ start })} FROM ${table}
    WHERE ${owner} = ${projectId} AND ${always} ${reached === null ? sql`` : sql`AND ${startedAt} < ${reached}::timestamptz`}
    ORDER BY ${startedAt} DESC LIMIT 1`.execute(db)
  return rows[0]?.start
}

/** Returns true when a range has at least some number of rows. */
export const hasRows = async (
  db: Database,
  { projectId, source }: Fill,
  span: Span,
  fewest: number,
): Promise<boolean> => {
  const { table, startedAt, projectId: owner, always } = SUBJECTS[source]
  const { rows } = await sql`
    SELECT ${select({ count: cast('bigint', sql`count(*)`) })} FROM (
      SELECT 1 FROM ${table}
      WHERE ${owner} = ${projectId} AND ${always} AND ${inSpan(startedAt, span)}
      LIMIT ${sql.lit(fewest)}) AS counted`.execute(db)
  return (rows[0]?.count ?? 0) >= fewest
}

/** Notes how far a project is marked; with null, that all of it is. */
export const storeFill = async (
  db: Database,
  { projectId, source }: Fill,
  reached: Instant | null,
): Promise<void> => {
  if (reached === null)
    await sql`DELETE FROM rollup_fills WHERE project_id = ${projectId} AND source = ${source}`.execute(
      db,
    )
  else
    await sql`
      UPDATE rollup_fills SET reached = ${reached}::timestamptz
      WHERE project_id = ${projectId} AND source = ${source}`.execute(db)
}
