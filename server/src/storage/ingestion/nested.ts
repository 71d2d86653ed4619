import type { Database } from '../../database/database.js'
import { EscapedText } from '../../database/parameters.js'
import { portionsOf } from '../../database/portions.js'
import type { TableRow } from '../../database/rows/columns.js'
import { sql } from '../../database/rows/sql.js'
import { encodeJson } from '../../database/text.js'
import type { Instant } from '../../kernel/instant.js'
import { checkFilesOf } from '../files.js'

/** Rows of a statement. Larger ones would hold the embedded database, and their encoding the event loop. */
const PORTION = { mostRows: 1000, mostWeight: 2_000_000 }

/** `replace`: a written row replaces the stored one. `add`: it is older, and only added when there is none. */
export type WriteMode = 'replace' | 'add'

const ADD = sql`DO NOTHING`

export type ScoreWrite = Omit<TableRow<'scores'>, 'createdAt' | 'updatedAt' | 'tags'> & {
  tags: readonly string[] | null
  at: Instant
}

/** A score that came with a thread judges nothing else, and one that came with a step no thread any more. */
const REPLACE_SCORE = sql`DO UPDATE SET
  step_id = CASE WHEN excluded.thread_id IS NULL THEN coalesce(excluded.step_id, scores.step_id) END,
  thread_id = CASE WHEN excluded.step_id IS NULL AND excluded.dataset_experiment_item_id IS NULL
    THEN coalesce(excluded.thread_id, scores.thread_id) END,
  generation_id = CASE WHEN excluded.thread_id IS NULL
    THEN coalesce(excluded.generation_id, scores.generation_id) END,
  dataset_experiment_item_id = CASE WHEN excluded.thread_id IS NULL
    THEN coalesce(excluded.dataset_experiment_item_id, scores.dataset_experiment_item_id) END,
  name = excluded.name, type = excluded.type, value = excluded.value,
  label = coalesce(excluded.label, scores.label),
  comment = coalesce(excluded.comment, scores.comment),
  scorer = coalesce(excluded.scorer, scores.scorer),
  tags = coalesce(nullif(excluded.tags, '{}'::text[]), scores.tags, excluded.tags),
  updated_at = excluded.updated_at`

/** Writes scores; none may be in the list twice. */
export const upsertScores = async (
  db: Database,
  scores: readonly ScoreWrite[],
  mode: WriteMode = 'replace',
): Promise<void> => {
  for (const portion of portionsOf(scores, PORTION))
    await sql`
INSERT INTO scores (project_id, id, step_id, thread_id, generation_id, dataset_experiment_item_id, name, type, value,
  label, comment, scorer, tags, created_at, updated_at)
SELECT r."projectId", r.id, r."stepId", r."threadId", r."generationId", r."datasetExperimentItemId", r.name, r.type,
  r.value, r.label, r.comment, r.scorer, CASE WHEN r.tags IS NULL THEN NULL ELSE ARRAY(SELECT json_array_elements_text(r.tags)) END,
  r.at, r.at
FROM json_to_recordset(${new EscapedText(encodeJson(portion))}::json) AS r ("projectId" text, id text, "stepId" text,
  "threadId" text, "generationId" text, "datasetExperimentItemId" text, name text, type text, value float8, label text, comment text,
  scorer text, tags json, at timestamptz)
ON CONFLICT (project_id, id) ${mode === 'replace' ? REPLACE_SCORE : ADD}`.execute(db)
}

export type AttachmentWrite = Omit<TableRow<'attachments'>, 'createdAt' | 'stepId'> & {
  stepId: string
  at: Instant
}

const REPLACE_ATTACHMENT = sql`DO UPDATE SET
  step_id = excluded.step_id,
  thread_id = coalesce(excluded.thread_id, attachments.thread_id),
  name = coalesce(excluded.name, attachments.name),
  mime = coalesce(excluded.mime, attachments.mime),
  metadata = coalesce(excluded.metadata, attachments.metadata),
  object_key = coalesce(excluded.object_key, attachments.object_key),
  url = coalesce(excluded.url, attachments.url)`

/**
 * Schedules a check of the files that attachments had so far: each upload has a key of its own, so a new one leaves one
 * behind.
 */
const checkReplaced = async (
  db: Database,
  attachments: readonly AttachmentWrite[],
): Promise<void> => {
  const ids = new Map<string, string[]>()
  for (const { projectId, id, objectKey } of attachments) {
    if (objectKey === null) continue
    const named = ids.get(projectId)
    if (named === undefined) ids.set(projectId, [id])
    else named.push(id)
  }
  for (const [projectId, named] of ids)
    await checkFilesOf(db, projectId, sql`id = ANY(${named}::text[])`)
}

/** Writes attachments; none may be in the list twice. */
export const upsertAttachments = async (
  db: Database,
  attachments: readonly AttachmentWrite[],
  mode: WriteMode = 'replace',
): Promise<void> => {
  if (mode === 'replace') await checkReplaced(db, attachments)
  for (const portion of portionsOf(attachments, PORTION))
    await sql`
INSERT INTO attachments (project_id, id, step_id, thread_id, name, mime, metadata, object_key, url, created_at)
SELECT r."projectId", r.id, r."stepId", r."threadId", r.name, r.mime, r.metadata, r."objectKey", r.url, r.at
FROM json_to_recordset(${new EscapedText(encodeJson(portion))}::json) AS r ("projectId" text, id text, "stepId" text,
  "threadId" text, name text, mime text, metadata json, "objectKey" text, url text, at timestamptz)
ON CONFLICT (project_id, id) ${mode === 'replace' ? REPLACE_ATTACHMENT : ADD}`.execute(db)
}
