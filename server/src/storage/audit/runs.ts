import type { AuditAction, AuditActorKind, AuditSubjectKind } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { auditRuns as runs } from '../../database/rows/tables.js'
import { assignments, valuesOf } from '../../database/rows/writes.js'
import type { AuditDetails } from './entries.js'

const columns = select({
  ...pick(
    runs,
    'projectId',
    'id',
    'actorId',
    'actorName',
    'subjectId',
    'subjectName',
    'fields',
    'requestId',
  ),
  action: runs.action.narrow<AuditAction>(),
  actorKind: runs.actorKind.narrow<AuditActorKind>(),
  subjectKind: runs.subjectKind.narrow<AuditSubjectKind>(),
  details: runs.details.narrow<AuditDetails>(),
})

export type AuditRunRow = RowOf<typeof columns>

/** Notes a run, unless it is noted, and locks it. Returns the run as it is noted. */
export const beginRun = async (db: Database, run: AuditRunRow): Promise<AuditRunRow> => {
  await sql`INSERT INTO audit_runs ${valuesOf('audit_runs', run)} ON CONFLICT DO NOTHING`.execute(
    db,
  )
  const { rows } = await sql`
    SELECT ${columns} FROM audit_runs
    WHERE audit_runs.project_id = ${run.projectId} AND audit_runs.id = ${run.id} FOR UPDATE`.execute(
    db,
  )
  return rows[0] ?? run
}

/** Replaces the numbers of a run, which has to be locked. */
export const updateRun = async (
  db: Database,
  { projectId, id, details }: AuditRunRow,
): Promise<void> => {
  await sql`
    UPDATE audit_runs SET ${assignments('audit_runs', { details })}, noted_at = clock_timestamp()
    WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
}

/** Removes a run. Returns it; undefined when none was noted, or another process has removed it. */
export const endRun = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<AuditRunRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM audit_runs
    WHERE audit_runs.project_id = ${projectId} AND audit_runs.id = ${id} FOR UPDATE`.execute(db)
  if (rows[0] !== undefined)
    await sql`DELETE FROM audit_runs WHERE project_id = ${projectId} AND id = ${id}`.execute(db)
  return rows[0]
}

/** Lists runs of all projects that have noted nothing for some seconds. */
export const findQuietRuns = async (
  db: Database,
  seconds: number,
  most: number,
): Promise<Pick<AuditRunRow, 'projectId' | 'id'>[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(runs, 'projectId', 'id'))} FROM audit_runs
    WHERE audit_runs.noted_at < clock_timestamp() - make_interval(secs => ${sql.lit(seconds)})
    ORDER BY audit_runs.noted_at LIMIT ${sql.lit(most)}`.execute(db)
  return rows
}
