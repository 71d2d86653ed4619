import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, select, sql } from '../../database/rows/sql.js'
import { rollupMarks } from '../../database/rows/tables.js'
import { reserve } from '../../database/transactions/locks.js'
import { hasTrigger } from '../../database/triggers.js'
import type { Instant } from '../../kernel/instant.js'
import { SCORE_DIMENSIONS } from './scores.js'
import { seriesDimensionsOf } from './series.js'
import { LENGTHS, type MarkedSource, type Span, SUBJECTS_OF } from './spans.js'

/** A group of marks, of one table. */
export interface MarkGroup<Of extends MarkedSource = MarkedSource> {
  projectId: string
  source: Of
  seconds: number
}

/** Returns the group of marks that follows another one in the order of an index. */
export const findMarkGroup = async (
  db: Database,
  after: MarkGroup | undefined,
): Promise<MarkGroup | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ projectId: rollupMarks.projectId, source: rollupMarks.source.narrow<MarkedSource>(), seconds: rollupMarks.seconds })}
    FROM rollup_marks
    ${after === undefined ? sql`` : sql`WHERE (project_id, source, seconds) > (${after.projectId}, ${after.source}, ${after.seconds}::integer)`}
    ORDER BY project_id, source, seconds LIMIT 1`.execute(db)
  return rows[0]
}

/** Returns true when rows of a table are marked as they are written: not while it is distributed over workers. */
export const hasMarks = (db: Database, table: 'steps' | 'scores'): Promise<boolean> =>
  hasTrigger(db, table, `mark_${table}_update`)

/**
 * Makes other processes leave a project's measurements alone until the transaction ends. Returns false when another one has
 * them. Without it, a span could be replaced by an earlier measurement.
 */
export const reserveRollups = (db: Database, projectId: string): Promise<boolean> =>
  reserve(db, `rollups ${projectId}`)

/** Returns the newest marked spans of a group that were marked some time ago, but for some. */
export const findMarked = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  quietSeconds: number,
  without: readonly Instant[],
  most: number,
): Promise<Instant[]> => {
  const { rows } = await sql`
    SELECT ${select({ start: rollupMarks.start })} FROM rollup_marks
    WHERE project_id = ${projectId} AND source = ${source} AND seconds = ${seconds}::integer
      AND start <> ALL(${[...without]}::timestamptz[])
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
  if (starts.length === 0) return
  await sql`
    INSERT INTO rollup_marks (project_id, source, seconds, start, marked_at)
    SELECT ${projectId}, ${source}, ${seconds}::integer, r.start, now() - make_interval(secs => ${ageSeconds}::float8)
    FROM unnest(${[...starts]}::timestamptz[]) AS r (start)`.execute(db)
}

/**
 * Takes the marks of spans, and what was measured of them. Comes before anything of them is read: a transaction that commits in
 * the meantime leaves marks of its own, so that nothing is missed.
 */
export const takeMarks = async (
  db: Database,
  group: MarkGroup,
  starts: readonly Instant[],
): Promise<void> => {
  await sql`DELETE FROM rollup_marks WHERE ${ofGroup(group, starts)}`.execute(db)
  await deleteMeasured(db, group, starts)
}

/**
 * Puts one mark in the place of all that a span has, and returns its id. The span stays marked while it is read, and other
 * processes leave it alone for the time after which a mark is due.
 */
export const holdMark = async (db: Database, group: MarkGroup, start: Instant): Promise<number> => {
  await sql`DELETE FROM rollup_marks WHERE ${ofGroup(group, [start])}`.execute(db)
  const { rows } = await sql`
    INSERT INTO rollup_marks (project_id, source, seconds, start, marked_at)
    VALUES (${group.projectId}, ${group.source}, ${group.seconds}::integer, ${start}::timestamptz, now())
    RETURNING ${select({ id: rollupMarks.id })}`.execute(db)
  return (rows[0] as { id: number }).id
}

/**
 * Takes the mark that `holdMark` put, and what was measured of the span before. Returns false when it is gone: another process
 * has measured the span since, or the project was deleted. Marks of what was written since stay.
 */
export const takeHeldMark = async (
  db: Database,
  group: MarkGroup,
  start: Instant,
  id: number,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM rollup_marks WHERE ${ofGroup(group, [start])} AND id = ${id}::bigint
    RETURNING ${select({ id: rollupMarks.id })}`.execute(db)
  if (rows.length === 0) return false
  await deleteMeasured(db, group, [start])
  return true
}

/** Returns a bound of the transactions that have written until now: those that begin to write later are at or above it. */
export const findNextWriter = async (db: Database): Promise<string> => {
  const next = cast('text', sql`pg_snapshot_xmax(pg_current_snapshot())::text`)
  const { rows } = await sql`SELECT ${select({ next })}`.execute(db)
  return (rows[0] as { next: string }).next
}

/** Returns true when all transactions below a bound have ended. */
export const haveWritersEnded = async (db: Database, bound: string): Promise<boolean> => {
  const ended = cast(
    'boolean',
    sql`pg_snapshot_xmin(pg_current_snapshot()) >= ${bound}::text::xid8`,
  )
  const { rows } = await sql`SELECT ${select({ ended })}`.execute(db)
  return rows[0]?.ended ?? false
}

const ofGroup = ({ projectId, source, seconds }: MarkGroup, starts: readonly Instant[]) => sql`
  project_id = ${projectId} AND source = ${source} AND seconds = ${seconds}::integer
    AND start = ANY(${[...starts]}::timestamptz[])`

const deleteMeasured = async (
  db: Database,
  { projectId, source, seconds }: MarkGroup,
  starts: readonly Instant[],
): Promise<void> => {
  const subjects = source === 'scores' ? ['scores'] : [...SUBJECTS_OF[source]]
  const dimensions =
    source === 'scores' ? SCORE_DIMENSIONS : SUBJECTS_OF[source].flatMap(seriesDimensionsOf)
  // Each part of the index is named: without properties, it would be read for all of the project's history.
  await sql`
    DELETE FROM rollups
    WHERE project_id = ${projectId} AND subject = ANY(${subjects}::text[])
      AND dimension = ANY(${[...new Set(dimensions)]}::text[]) AND seconds = ${seconds}::integer AND start = ANY(${[...starts]}::timestamptz[])`.execute(
    db,
  )
}

const marks = select(pick(rollupMarks, 'seconds', 'start'))

export interface Mark {
  seconds: number
  start: Instant
}

/**
 * Returns the marked spans that begin in a range, up to a number. All lengths are named, as the index has starts by length:
 * it would read all marks of a project otherwise, of which an import leaves hundreds of thousands.
 */
export const findMarks = async (
  db: Database,
  projectId: string,
  source: MarkedSource,
  { from, to }: Span,
  most: number,
): Promise<Mark[]> => {
  const { rows } = await sql`
    SELECT DISTINCT ${marks} FROM rollup_marks
    WHERE project_id = ${projectId} AND source = ${source}
      AND seconds = ANY(${[...LENGTHS]}::integer[])
      AND start >= ${from}::timestamptz AND start < ${to}::timestamptz
    LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}
