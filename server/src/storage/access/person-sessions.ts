import type { Database } from '../../database/database.js'
import { json } from '../../database/parameters.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { o, personSessions as sessions } from '../../database/rows/tables.js'
import { valuesOf } from '../../database/rows/writes.js'
import type { Instant } from '../../kernel/instant.js'
import type { Grant } from '../../kernel/scopes.js'

const columns = select({
  ...pick(sessions, 'id', 'personId', 'personName', 'rules', 'entered', 'createdAt', 'expiresAt'),
  grants: sessions.grants.narrow<Grant[]>(),
})

export type PersonSessionRow = RowOf<typeof columns>

const withProject = columns.and(select({ projectId: o.id, projectName: o.name }))
export type PersonInProject = RowOf<typeof withProject>

export const insertPersonSession = async (
  db: Database,
  session: PersonSessionRow,
): Promise<void> => {
  await sql`INSERT INTO person_sessions ${valuesOf('person_sessions', session)}`.execute(db)
}

/** Returns a session with a project that exists; undefined when either does not. */
export const findPersonInProject = async (
  db: Database,
  id: string,
  projectId: string,
): Promise<PersonInProject | undefined> => {
  const { rows } = await sql`
    SELECT ${withProject} FROM person_sessions, projects o
    WHERE person_sessions.id = ${id} AND o.id = ${projectId}`.execute(db)
  return rows[0]
}

/** Returns a session with all projects that there are, the oldest first. */
export const findPersonInProjects = async (
  db: Database,
  id: string,
): Promise<PersonInProject[]> => {
  const { rows } = await sql`
    SELECT ${withProject} FROM person_sessions, projects o
    WHERE person_sessions.id = ${id} ORDER BY o.created_at, o.id`.execute(db)
  return rows
}

/** Notes that a session is used in a project. Returns false when that was noted before, or the session has ended. */
export const enterProject = async (
  db: Database,
  id: string,
  projectId: string,
): Promise<boolean> => {
  const { rows } = await sql`
    UPDATE person_sessions SET entered = array_append(entered, ${projectId})
    WHERE id = ${id} AND NOT (${projectId} = ANY(entered))
    RETURNING ${select(pick(sessions, 'id'))}`.execute(db)
  return rows.length > 0
}

/** Replaces the roles and the name of a person in the sessions that began before. */
export const updatePerson = async (
  db: Database,
  { personId, personName, grants }: Pick<PersonSessionRow, 'personId' | 'personName' | 'grants'>,
): Promise<void> => {
  await sql`UPDATE person_sessions SET grants = ${json(grants)}, person_name = ${personName}
    WHERE person_id = ${personId}`.execute(db)
}

/** Ends a session, in a transaction. Returns it; undefined when it has ended before. */
export const deletePersonSession = async (
  db: Database,
  id: string,
): Promise<PersonSessionRow | undefined> => {
  // Read before: a distributed database computes nothing in what a change returns.
  const { rows } = await sql`
    SELECT ${columns} FROM person_sessions WHERE id = ${id} FOR UPDATE`.execute(db)
  await sql`DELETE FROM person_sessions WHERE id = ${id}`.execute(db)
  return rows[0]
}

/** Ends all sessions of a person, in a transaction. Returns them. */
export const deleteSessionsOfPerson = async (
  db: Database,
  personId: string,
): Promise<PersonSessionRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM person_sessions WHERE person_id = ${personId} ORDER BY id FOR UPDATE`.execute(
    db,
  )
  const ids = rows.map(({ id }) => id)
  await sql`DELETE FROM person_sessions WHERE id = ANY(${ids}::text[])`.execute(db)
  return rows
}

/** Lists the people who are signed in, with their sessions, the newest first. */
export const listPersonSessions = async (
  db: Database,
  now: Instant,
): Promise<PersonSessionRow[]> => {
  const { rows } = await sql`
    SELECT ${columns} FROM person_sessions WHERE expires_at > ${now}::timestamptz
    ORDER BY created_at DESC, id LIMIT 1000`.execute(db)
  return rows
}

export const deleteExpiredPersonSessions = async (db: Database, now: Instant): Promise<void> => {
  await sql`DELETE FROM person_sessions WHERE expires_at < ${now}::timestamptz`.execute(db)
}
