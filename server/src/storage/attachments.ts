import type { Database } from '../database/database.js'
import { pick, type RowOf, select, sql } from '../database/rows/sql.js'
import { a } from '../database/rows/tables.js'
import { assignments, type Changes } from '../database/rows/writes.js'
import { checkFilesOf } from './files.js'

const columns = select(
  pick(a, 'id', 'threadId', 'stepId', 'metadata', 'mime', 'name', 'objectKey', 'url'),
)

export type AttachmentRow = RowOf<typeof columns>

export const findAttachment = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<AttachmentRow | undefined> => {
  const { rows } = await sql`
    SELECT ${columns} FROM attachments a WHERE a.project_id = ${projectId} AND a.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** Returns the attachments of steps, in the order of their creation. */
export const findAttachmentsOfSteps = async (
  db: Database,
  projectId: string,
  stepIds: readonly string[],
): Promise<AttachmentRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM attachments a WHERE a.project_id = ${projectId} AND a.step_id = ANY(${stepIds}::text[])
    ORDER BY a.created_at, a.id`.execute(db)
  return rows
}

/** Updates the given columns. Returns undefined when there is no such attachment. */
export const updateAttachment = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Changes<'attachments'>,
): Promise<AttachmentRow | undefined> => {
  if ('objectKey' in changes) await checkFilesOf(db, projectId, sql`id = ${id}`)
  const { rows } = await sql`
    UPDATE attachments a SET ${assignments('attachments', changes) ?? sql`name = name`}
    WHERE a.project_id = ${projectId} AND a.id = ${id} RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Returns false when there was none. */
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
