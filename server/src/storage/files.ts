import type { Database } from '../database/database.js'
import { pick, type RowOf, type Sql, select, sql } from '../database/rows/sql.js'
import { a, u } from '../database/rows/tables.js'
import { valuesOf } from '../database/rows/writes.js'
import { reserve } from '../database/transactions/locks.js'
import type { Instant } from '../kernel/instant.js'

const columns = select(pick(u, 'objectKey', 'mime', 'size'))
const dueColumns = select(pick(u, 'projectId', 'objectKey', 'createdAt'))
/** The key of an attachment's file. */
const attachedKey = select({ objectKey: a.objectKey.narrow<string>() })

export type FileRow = RowOf<typeof columns>
export type DueFile = RowOf<typeof dueColumns>

/** Stores the key of an upload before it comes, and when to check for references to it. */
export const announceFile = async (
  db: Database,
  projectId: string,
  file: { objectKey: string; mime: string; createdAt: Instant; checkAt: Instant },
): Promise<void> => {
  await sql`
    INSERT INTO files ${valuesOf('files', { projectId, ...file })}`.execute(db)
}

export const findFile = async (
  db: Database,
  projectId: string,
  objectKey: string,
): Promise<FileRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM files u
    WHERE u.project_id = ${projectId} AND u.object_key = ${objectKey}`.execute(db)
  return rows[0]
}

/** Returns the media type that an attachment names for a file; undefined when none does. */
export const findAttachedType = async (
  db: Database,
  projectId: string,
  objectKey: string,
): Promise<string | undefined> => {
  const { rows } = await sql`
    SELECT ${select({ mime: a.mime.narrow<string>() })} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.object_key = ${objectKey} AND a.mime <> '' LIMIT 1`.execute(
    db,
  )
  return rows[0]?.mime
}

/** Stores the size of an upload that has come. Returns false when its key was deleted meanwhile. */
export const completeFile = async (
  db: Database,
  projectId: string,
  objectKey: string,
  sizeBytes: number,
): Promise<boolean> => {
  const { rows } = await sql`UPDATE files SET size = ${sizeBytes}::bigint
    WHERE project_id = ${projectId} AND object_key = ${objectKey} RETURNING object_key`.execute(db)
  return rows.length > 0
}

/** Schedules a check of the files of some attachments that are about to be deleted. */
export const checkFilesOf = async (
  db: Database,
  projectId: string,
  attachments: Sql,
): Promise<void> => {
  const { rows } = await sql`
    SELECT DISTINCT ${attachedKey} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.object_key IS NOT NULL AND ${attachments}`.execute(db)
  if (rows.length === 0) return
  const keys = rows.map(({ objectKey }) => objectKey)
  await sql`UPDATE files SET check_at = now()
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
}

/**
 * Makes this transaction the only one that collects files until it ends; returns false when another one does. Locked
 * rows would be enough on one server; of a table that all workers have, they exclude nobody.
 */
export const tryToCollect = (db: Database): Promise<boolean> => reserve(db, 'collects files')

/** Returns the files that are due for a check. */
export const findDueFiles = async (
  db: Database,
  now: Instant,
  most: number,
): Promise<DueFile[]> => {
  const { rows } = await sql`
    SELECT ${dueColumns} FROM files u
    WHERE u.check_at <= ${now}::timestamptz ORDER BY u.check_at LIMIT ${most}::integer`.execute(db)
  return rows
}

/** Returns those keys of a project that some attachment refers to. */
export const findReferredKeys = async (
  db: Database,
  projectId: string,
  keys: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT DISTINCT ${attachedKey} FROM attachments a
    WHERE a.project_id = ${projectId} AND a.object_key = ANY(${keys}::text[])`.execute(db)
  return rows.map(({ objectKey }) => objectKey)
}

/** Marks files as in use: no further check until a reference is deleted. */
export const keepFiles = async (
  db: Database,
  projectId: string,
  keys: readonly string[],
): Promise<void> => {
  await sql`UPDATE files SET check_at = NULL
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
}

/** Schedules a check of each of some files. */
export const checkFilesAt = async (
  db: Database,
  projectId: string,
  files: readonly { objectKey: string; checkAt: Instant }[],
): Promise<void> => {
  await sql`
    UPDATE files u SET check_at = r.check_at
    FROM unnest(${files.map(({ objectKey }) => objectKey)}::text[],
      ${files.map(({ checkAt }) => checkAt)}::timestamptz[]) AS r (object_key, check_at)
    WHERE u.project_id = ${projectId} AND u.object_key = r.object_key`.execute(db)
}

export const deleteFiles = async (
  db: Database,
  projectId: string,
  keys: readonly string[],
): Promise<void> => {
  await sql`DELETE FROM files
    WHERE project_id = ${projectId} AND object_key = ANY(${keys}::text[])`.execute(db)
}

/** Returns the keys of the files of a project: of all, or of those announced since a moment. */
export const findKeysOfProject = async (
  db: Database,
  projectId: string,
  since?: Instant,
): Promise<string[]> => {
  const { rows } = await sql`
    SELECT ${select(pick(u, 'objectKey'))} FROM files u
    WHERE u.project_id = ${projectId}
      AND (${since ?? null}::timestamptz IS NULL OR u.created_at >= ${since ?? null}::timestamptz)`.execute(
    db,
  )
  return rows.map(({ objectKey }) => objectKey)
}
