import { sql } from 'kysely'
import type { Database } from '../database/database.js'
import { assignments } from '../database/parameters.js'
import { checkFilesOf } from './files.js'

export interface AttachmentRow {
  id: string
  threadId: string | null
  stepId: string | null
  metadata: unknown
  mime: string | null
  name: string | null
  objectKey: string | null
  url: string | null
}

const columns = sql`
  a.id, a.thread_id AS "threadId", a.step_id AS "stepId", a.metadata, a.mime, a.name, a.object_key AS "objectKey", a.url`

export const findAttachment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<AttachmentRow | undefined> => {
  const { rows } = await sql<AttachmentRow>`
    SELECT ${columns} FROM attachments a WHERE a.project_id = ${projectId} AND a.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** The attachments of steps, in the order of their creation. */
export const findAttachmentsOfSteps = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<AttachmentRow[]> => {
  const { rows } = await sql<AttachmentRow>`
    SELECT ${columns} FROM attachments a WHERE a.project_id = ${projectId} AND a.step_id = ANY(${stepIds}::text[])
    ORDER BY a.created_at, a.id`.execute(db)
  return rows
}

/** Sets the columns that are given. Undefined when there is no such attachment. */
export const updateAttachment = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<AttachmentRow | undefined> => {
  if ('object_key' in changes) await checkFilesOf(db, projectId, sql`id = ${id}`)
  const { rows } = await sql<AttachmentRow>`
    UPDATE attachments a SET ${assignments(changes) ?? sql`name = name`}
    WHERE a.project_id = ${projectId} AND a.id = ${id} RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Whether there was one. */
export const deleteAttachment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  await checkFilesOf(db, projectId, sql`id = ${id}`)
  const { rows } = await sql`
    DELETE FROM attachments WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(db)
  return rows.length > 0
}
