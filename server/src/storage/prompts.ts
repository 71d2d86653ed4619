import type { Database } from '../database/database.js'
import type { TableRow } from '../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { l, v } from '../database/rows/tables.js'
import { assignments, valuesOf } from '../database/rows/writes.js'
import { lockAlone } from '../database/transactions/locks.js'
import type { Instant } from '../kernel/instant.js'

/** A range of parts of one version: `from` is included, `to` is not. */
export interface Segment {
  version: number
  from: number
  to: number
}

export interface Rollout {
  version: number
  rollout: number
}

/** A label, and the version that it leads to. */
export interface PromptLabelRow {
  name: string
  version: number
  movedAt: Instant
  movedBy: string
}

/** A move of a label. `fromVersion` is null for a new label, `toVersion` for a removed one. */
export interface PromptLabelMoveRow {
  label: string
  fromVersion: number | null
  toVersion: number | null
  movedAt: Instant
  movedBy: string
}

const lineageColumns = select({
  ...pick(l, 'id', 'name', 'description', 'createdAt', 'deletedAt'),
  rollouts: l.rollouts.narrow<Rollout[] | null>(),
  /** Null until the split changes for the first time. */
  segments: l.segments.narrow<Segment[] | null>(),
  /** By name; null until a first one is set. */
  labels: l.labels.narrow<PromptLabelRow[] | null>(),
})
const moveColumns = select({ labelMoves: l.labelMoves.narrow<PromptLabelMoveRow[] | null>() })
const versionColumns = select(
  pick(
    v,
    'id',
    'lineageId',
    'version',
    'versionDesc',
    'templateMessages',
    'tools',
    'settings',
    'variables',
    'variablesDefaultValues',
    'createdAt',
  ),
)

export type LineageRow = RowOf<typeof lineageColumns>
export type PromptVersionRow = RowOf<typeof versionColumns>
export type PromptVariantRow = Omit<TableRow<'prompt_experiments'>, 'projectId'>

export const findLineageByName = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<LineageRow | undefined> => {
  const { rows } = await sql`
    SELECT ${lineageColumns} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND md5(l.name) = md5(${name}) AND l.name = ${name}`.execute(
    db,
  )
  return rows[0]
}

export const findLineages = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<LineageRow[]> => {
  const { rows } = await sql`
    SELECT ${lineageColumns} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND l.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/** Lists all lineages that are not deleted, by name. */
export const listLineages = async (db: Database, projectId: string): Promise<LineageRow[]> => {
  const { rows } = await sql`
    SELECT ${lineageColumns} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND l.deleted_at IS NULL ORDER BY l.name`.execute(db)
  return rows
}

/**
 * Keeps others from adding versions to a lineage until the transaction ends. Returns its name; undefined when there is no
 * such lineage.
 */
export const lockLineage = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<string | undefined> => {
  await lockAlone(db, 'prompt', projectId, [id])
  const { rows } = await sql`
    SELECT ${select(pick(l, 'name'))} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND l.id = ${id}`.execute(db)
  return rows[0]?.name
}

/** Creates a lineage. Returns false when the name is taken. */
export const insertLineage = async (
  db: Database,
  projectId: string,
  lineage: { id: string; name: string; description: string | null; createdAt: Instant },
): Promise<boolean> => {
  const { rows } = await sql`
    INSERT INTO prompt_lineages ${valuesOf('prompt_lineages', { projectId, ...lineage })}
    ON CONFLICT DO NOTHING RETURNING id`.execute(db)
  return rows.length > 0
}

export const updateRollouts = async (
  db: Database,
  projectId: string,
  lineageId: string,
  rollouts: readonly Rollout[],
  segments: readonly Segment[],
): Promise<void> => {
  await sql`UPDATE prompt_lineages SET ${assignments('prompt_lineages', { rollouts, segments })}
    WHERE project_id = ${projectId} AND id = ${lineageId}`.execute(db)
}

/** Returns the moves of a lineage's labels, newest first. */
export const findLabelMoves = async (
  db: Database,
  projectId: string,
  lineageId: string,
): Promise<PromptLabelMoveRow[]> => {
  const { rows } = await sql`
    SELECT ${moveColumns} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND l.id = ${lineageId}`.execute(db)
  return rows[0]?.labelMoves ?? []
}

export const updateLabels = async (
  db: Database,
  projectId: string,
  lineageId: string,
  labels: readonly PromptLabelRow[],
  labelMoves: readonly PromptLabelMoveRow[],
): Promise<void> => {
  await sql`UPDATE prompt_lineages SET ${assignments('prompt_lineages', { labels, labelMoves })}
    WHERE project_id = ${projectId} AND id = ${lineageId}`.execute(db)
}

export const findVersion = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<PromptVersionRow | undefined> => {
  const { rows } = await sql`
    SELECT ${versionColumns} FROM prompt_versions v WHERE v.project_id = ${projectId} AND v.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Returns versions by the names of their lineages and their numbers, and others of these names and numbers. */
export const findVersionIds = async (
  db: Database,
  projectId: string,
  named: readonly { name: string; version: number }[],
): Promise<{ name: string; version: number; id: string }[]> => {
  const names = [...new Set(named.map(({ name }) => name))]
  const versions = [...new Set(named.map(({ version }) => version))]
  const { rows } = await sql`
    SELECT ${select({ name: l.name, version: v.version.narrow<number>(), id: v.id })}
    FROM prompt_lineages l JOIN prompt_versions v ON v.project_id = l.project_id AND v.lineage_id = l.id
    WHERE l.project_id = ${projectId} AND l.name = ANY(${names}::text[]) AND v.version = ANY(${versions}::integer[])`.execute(
    db,
  )
  return rows
}

/** Returns versions of a lineage by their numbers, the lowest first. */
export const findVersionsByNumber = async (
  db: Database,
  projectId: string,
  lineageId: string,
  versions: readonly number[],
): Promise<PromptVersionRow[]> => {
  const { rows } = await sql`
    SELECT ${versionColumns} FROM prompt_versions v
    WHERE v.project_id = ${projectId} AND v.lineage_id = ${lineageId} AND v.version = ANY(${versions}::integer[])
    ORDER BY v.version`.execute(db)
  return rows
}

/** Returns versions of a lineage, newest first: all, or a number of those before a version. */
export const findVersions = async (
  db: Database,
  projectId: string,
  lineageId: string,
  portion?: { before: number; count: number },
): Promise<PromptVersionRow[]> => {
  const before = portion === undefined ? sql`` : sql`AND v.version < ${portion.before}`
  const limit = portion === undefined ? sql`` : sql`LIMIT ${portion.count}`
  const { rows } = await sql`
    SELECT ${versionColumns} FROM prompt_versions v
    WHERE v.project_id = ${projectId} AND v.lineage_id = ${lineageId} ${before}
    ORDER BY v.version DESC ${limit}`.execute(db)
  return rows
}

export const insertVersion = async (
  db: Database,
  projectId: string,
  version: PromptVersionRow,
): Promise<void> => {
  await sql`
    INSERT INTO prompt_versions ${valuesOf('prompt_versions', { projectId, ...version })}`.execute(
    db,
  )
}

export const insertVariant = async (
  db: Database,
  projectId: string,
  variant: PromptVariantRow,
): Promise<void> => {
  await sql`
    INSERT INTO prompt_experiments ${valuesOf('prompt_experiments', { projectId, ...variant })}`.execute(
    db,
  )
}
