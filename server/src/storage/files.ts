import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/database.js'
import type { Instant } from '../kernel/instant.js'

export interface FileRow {
  objectKey: string
  mime: string
  size: number | null
}

/** Notes what is going to be uploaded under a key, and when to look whether something refers to it. */
export const announceFile = async (
  db: Database,
  projectId: string,
  file: { objectKey: string; mime: string; createdAt: Instant; checkAt: Instant },
): Promise<void> => {
  await sql`
    INSERT INTO files (project_id, object_key, mime, created_at, check_at)
    VALUES (${projectId}, ${file.objectKey}, ${file.mime}, ${file.createdAt}::timestamptz, ${file.checkAt}::timestamptz)`.execute(
    db,
  )
}

export const findFile = async (
  db: Database,
  projectId: string,
  objectKey: string,
): Promise<FileRow | undefined> => {
  const { rows } = await sql<FileRow>`
    SELECT object_key AS "objectKey", mime, size FROM files
    WHERE project_id = ${projectId} AND object_key = ${objectKey}`.execute(db)
  return rows[0]
}

/** The media type that an attachment names for a file; undefined when none does. */
export const findAttachedType = async (
  db: Database,
  projectId: string,
  objectKey: string,
): Promise<string | undefined> => {
  const { rows } = await sql<{ mime: string }>`
    SELECT mime FROM attachments
    WHERE project_id = ${projectId} AND object_key = ${objectKey} AND mime <> '' LIMIT 1`.execute(
    db,
  )
  return rows[0]?.mime
}

export const completeFile = async (
  db: Database,
  projectId: string,
  objectKey: string,
  sizeBytes: number,
): Promise<void> => {
  await sql`UPDATE files SET size = ${sizeBytes}::bigint
    WHERE project_id = ${projectId} AND object_key = ${objectKey}`.execute(db)
}

/** Has the files looked at to which some attachments refer that are about to be deleted. */
export const checkFilesOf = async (
  db: Database,
  projectId: string,
  attachments: RawBuilder<unknown>,
): Promise<void> => {
  const { rows } = await sql<{ objectKey: string }>`
    SELECT DISTINCT object_key AS "objectKey" FROM attachments
    WHERE project_id = ${projectId} AND object_key IS NOT NULL AND ${attachments}`.execute(db)
  if (rows.length === 0) return
  const keys = rows.map(({ objectKey }) => objectKey)
  await sql`UPDATE files SET check_at = now()
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
}

export interface DueFile {
  projectId: string
  objectKey: string
}

/**
 * Whether this transaction is the only one that collects files, until it ends. Locked rows would do on one server; of a
 * table that all workers have a copy of, they keep nobody out.
 */
export const tryToCollect = async (db: Database): Promise<boolean> => {
  const { rows } = await sql<{ isAlone: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtext('stepwell collects files')) AS "isAlone"`.execute(db)
  return rows[0]?.isAlone ?? false
}

/** Files that are due to be looked at. */
export const findDueFiles = async (
  db: Database,
  now: Instant,
  most: number,
): Promise<DueFile[]> => {
  const { rows } = await sql<DueFile>`
    SELECT project_id AS "projectId", object_key AS "objectKey" FROM files
    WHERE check_at <= ${now}::timestamptz ORDER BY check_at LIMIT ${most}::integer`.execute(db)
  return rows
}

/** Those keys of a project that some attachment refers to. */
export const findReferredKeys = async (
  db: Database,
  projectId: string,
  keys: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ objectKey: string }>`
    SELECT DISTINCT object_key AS "objectKey" FROM attachments
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
  return rows.map(({ objectKey }) => objectKey)
}

/** They are in use: nobody has to look again until that changes. */
export const keepFiles = async (
  db: Database,
  projectId: string,
  keys: readonly string[],
): Promise<void> => {
  await sql`UPDATE files SET check_at = NULL
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
}

export const deleteFiles = async (
  db: Database,
  projectId: string,
  keys: readonly string[],
): Promise<void> => {
  await sql`DELETE FROM files
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
}

/** All files of a project. */
export const findKeysOfProject = async (db: Database, projectId: string): Promise<string[]> => {
  const { rows } = await sql<{ objectKey: string }>`
    SELECT object_key AS "objectKey" FROM files WHERE project_id = ${projectId}`.execute(db)
  return rows.map(({ objectKey }) => objectKey)
}
