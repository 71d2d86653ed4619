import { sql } from 'kysely'
import type { Instant } from '../domain/instant.js'
import type { Database } from './database.js'
import { type Field, instant, json as jsonField, number, string } from './listing/fields.js'
import type { Listing } from './listing/page.js'
import { assignments, json } from './parameters.js'

export interface ParticipantRow {
  id: string
  identifier: string
  metadata: unknown
  createdAt: Instant
}

export interface Usage {
  id: string
  threadCount: number
  tokenCount: number
  lastEngaged: Instant | null
}

const columns = sql`p.id, p.identifier, p.metadata, p.created_at AS "createdAt"`

const usageOf = (projectId: string) => sql`
  SELECT t.participant_id AS id, count(*) AS "threadCount", coalesce(sum(t.token_count), 0)::bigint AS "tokenCount",
    max(greatest(t.created_at, t.last_step_at)) AS "lastEngaged"
  FROM threads t WHERE t.project_id = ${projectId} AND t.participant_id IS NOT NULL`

const identifier: Field = {
  kind: 'list',
  nullable: true,
  test: (condition) => {
    if (condition.operator === 'is') return sql`false`
    if (condition.operator === 'nis') return sql`true`
    const among = sql`(p.identifier = ANY(${condition.value}::text[]) OR p.id = ANY(${condition.value}::text[]))`
    return condition.operator === 'nin' ? sql`NOT ${among}` : among
  },
}

export const participantListing = (projectId: string): Listing => ({
  from: sql`participants p LEFT JOIN (${usageOf(projectId)} GROUP BY t.participant_id) u ON u.id = p.id`,
  columns,
  id: sql`p.id`,
  projectId: sql`p.project_id`,
  createdAt: sql`p.created_at`,
  fields: {
    id: string(sql`p.id`, false),
    createdAt: instant(sql`p.created_at`, false),
    identifier,
    lastEngaged: instant(sql`u."lastEngaged"`),
    threadCount: number(sql`coalesce(u."threadCount", 0)`),
    tokenCount: number(sql`coalesce(u."tokenCount", 0)`),
    metadata: jsonField(sql`p.metadata`),
  },
  orders: { createdAt: { value: sql`p.created_at`, type: 'timestamptz' } },
})

export const findParticipants = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<ParticipantRow[]> => {
  const { rows } = await sql<ParticipantRow>`
    SELECT ${columns} FROM participants p
    WHERE p.project_id = ${projectId} AND p.id = ANY(${ids}::text[])`.execute(db)
  return rows
}

export const findParticipantByIdentifier = async (
  db: Database,
  projectId: string,
  identifier: string,
): Promise<ParticipantRow | undefined> => {
  // The index is on the hash.
  const { rows } = await sql<ParticipantRow>`
    SELECT ${columns} FROM participants p WHERE p.project_id = ${projectId}
      AND md5(p.identifier) = md5(${identifier}) AND p.identifier = ${identifier}`.execute(db)
  return rows[0]
}

/** How much participants did. Those without threads are not in the answer. */
export const findUsage = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Usage[]> => {
  const { rows } = await sql<Usage>`
    ${usageOf(projectId)} AND t.participant_id = ANY(${ids}::text[]) GROUP BY t.participant_id`.execute(
    db,
  )
  return rows
}

/** Creates a participant, unless the identifier is taken: then undefined. */
export const insertParticipant = async (
  db: Database,
  projectId: string,
  participant: { id: string; identifier: string; metadata: unknown; createdAt: Instant },
): Promise<ParticipantRow | undefined> => {
  const { rows } = await sql<ParticipantRow>`
    INSERT INTO participants AS p (project_id, id, identifier, metadata, created_at)
    VALUES (${projectId}, ${participant.id}, ${participant.identifier}, ${json(participant.metadata)},
      ${participant.createdAt}::timestamptz)
    ON CONFLICT DO NOTHING RETURNING ${columns}`.execute(db)
  return rows[0]
}

/** Sets the columns that are given. */
export const updateParticipant = async (
  db: Database,
  projectId: string,
  id: string,
  changes: Record<string, unknown>,
): Promise<void> => {
  const set = assignments(changes)
  if (set !== undefined)
    await sql`UPDATE participants SET ${set} WHERE project_id = ${projectId} AND id = ${id}`.execute(
      db,
    )
}

/** Deletes a participant; the threads stay without one. False when there was none. */
export const deleteParticipant = async (
  db: Database,
  projectId: string,
  id: string,
): Promise<boolean> => {
  const { rows } = await sql`
    DELETE FROM participants WHERE project_id = ${projectId} AND id = ${id} RETURNING id`.execute(
    db,
  )
  await sql`UPDATE threads SET participant_id = NULL
    WHERE project_id = ${projectId} AND participant_id = ${id}`.execute(db)
  await sql`UPDATE steps SET participant_id = NULL
    WHERE project_id = ${projectId} AND participant_id = ${id}`.execute(db)
  return rows.length > 0
}
