import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import { json } from '../database/parameters.js'
import type { Instant } from '../kernel/instant.js'

/** A run of parts that one version has: `from` belongs to it, `to` no longer does. */
export interface Segment {
  version: number
  from: number
  to: number
}

export interface LineageRow {
  id: string
  name: string
  description: string | null
  createdAt: Instant
  deletedAt: Instant | null
  rollouts: Rollout[] | null
  /** Null until the split changes for the first time. */
  segments: Segment[] | null
}

export interface Rollout {
  version: number
  rollout: number
}

export interface PromptVersionRow {
  id: string
  lineageId: string
  version: number
  versionDesc: string | null
  templateMessages: unknown
  tools: unknown
  settings: unknown
  variables: unknown
  variablesDefaultValues: unknown
  createdAt: Instant
}

export interface PromptVariantRow {
  id: string
  fromLineageId: string | null
  fromVersion: number | null
  scoreTemplateId: string | null
  templateMessages: unknown
  tools: unknown
  settings: unknown
  variables: unknown
  createdAt: Instant
}

const lineageColumns = sql`
  l.id, l.name, l.description, l.created_at AS "createdAt", l.deleted_at AS "deletedAt", l.rollouts,
  l.segments`
const versionColumns = sql`
  v.id, v.lineage_id AS "lineageId", v.version, v.version_desc AS "versionDesc",
  v.template_messages AS "templateMessages", v.tools, v.settings, v.variables,
  v.variables_default_values AS "variablesDefaultValues", v.created_at AS "createdAt"`

export const findLineageByName = async (
  db: Database,
  projectId: string,
  name: string,
): Promise<LineageRow | undefined> => {
  const { rows } = await sql<LineageRow>`
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
  const { rows } = await sql<LineageRow>`
    SELECT ${lineageColumns} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND l.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/** All lineages that are not deleted, by name. */
export const listLineages = async (db: Database, projectId: string): Promise<LineageRow[]> => {
  const { rows } = await sql<LineageRow>`
    SELECT ${lineageColumns} FROM prompt_lineages l
    WHERE l.project_id = ${projectId} AND l.deleted_at IS NULL ORDER BY l.name`.execute(db)
  return rows
}

/** Keeps others from adding versions to a lineage until the transaction ends. False when there is no such lineage. */
export const lockLineage = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    SELECT id FROM prompt_lineages WHERE project_id = ${projectId} AND id = ${id} FOR UPDATE`.execute(
    db,
  )
  return rows.length > 0
}

/** Creates a lineage, unless the name is taken. */
export const insertLineage = async (
  db: Database,
  projectId: string,
  lineage: { id: string; name: string; description: string | null; createdAt: Instant },
): Promise<void> => {
  await sql`
    INSERT INTO prompt_lineages (project_id, id, name, description, created_at)
    VALUES (${projectId}, ${lineage.id}, ${lineage.name}, ${lineage.description}, ${lineage.createdAt}::timestamptz)
    ON CONFLICT DO NOTHING`.execute(db)
}

export const updateRollouts = async (
  db: Database,
  projectId: string,
  lineageId: string,
  rollouts: readonly Rollout[],
  segments: readonly Segment[],
): Promise<void> => {
  await sql`UPDATE prompt_lineages SET rollouts = ${json(rollouts)}, segments = ${json(segments)}
    WHERE project_id = ${projectId} AND id = ${lineageId}`.execute(db)
}

export const findVersion = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<PromptVersionRow | undefined> => {
  const { rows } = await sql<PromptVersionRow>`
    SELECT ${versionColumns} FROM prompt_versions v WHERE v.project_id = ${projectId} AND v.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Versions of a lineage by their numbers, the lowest first. */
export const findVersionsByNumber = async (
  db: Database,
  projectId: string,
  lineageId: string,
  versions: readonly number[],
): Promise<PromptVersionRow[]> => {
  const { rows } = await sql<PromptVersionRow>`
    SELECT ${versionColumns} FROM prompt_versions v
    WHERE v.project_id = ${projectId} AND v.lineage_id = ${lineageId} AND v.version = ANY(${versions}::integer[])
    ORDER BY v.version`.execute(db)
  return rows
}

/** Versions of a lineage, the newest first: all, or so many of those before a number. */
export const findVersions = async (
  db: Database,
  projectId: string,
  lineageId: string,
  portion?: { before: number; count: number },
): Promise<PromptVersionRow[]> => {
  const before = portion === undefined ? sql`` : sql`AND v.version < ${portion.before}`
  const limit = portion === undefined ? sql`` : sql`LIMIT ${portion.count}`
  const { rows } = await sql<PromptVersionRow>`
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
    INSERT INTO prompt_versions (project_id, id, lineage_id, version, version_desc, template_messages, tools, settings,
      variables, variables_default_values, created_at)
    VALUES (${projectId}, ${version.id}, ${version.lineageId}, ${version.version}, ${version.versionDesc},
      ${json(version.templateMessages)}, ${json(version.tools)}, ${json(version.settings)}, ${json(version.variables)},
      ${json(version.variablesDefaultValues)}, ${version.createdAt}::timestamptz)`.execute(db)
}

export const insertVariant = async (
  db: Database,
  projectId: string,
  variant: PromptVariantRow,
): Promise<void> => {
  await sql`
    INSERT INTO prompt_experiments (project_id, id, from_lineage_id, from_version, score_template_id,
      template_messages, tools, settings, variables, created_at)
    VALUES (${projectId}, ${variant.id}, ${variant.fromLineageId}, ${variant.fromVersion}, ${variant.scoreTemplateId},
      ${json(variant.templateMessages)}, ${json(variant.tools)}, ${json(variant.settings)}, ${json(variant.variables)},
      ${variant.createdAt}::timestamptz)`.execute(db)
}
