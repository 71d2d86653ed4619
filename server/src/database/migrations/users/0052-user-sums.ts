import { type Migration, sql } from 'kysely'
import { isDistributed } from '../../distribution/cluster.js'
import { TRANSITIONS } from '../measuring/0028-rollups.js'

type Event = keyof typeof TRANSITIONS

/** The columns of threads that the sums of users are made of. */
const read = (
  row: string,
) => `(${row}.participant_id, coalesce(${row}.started_at, ${row}.created_at), ${row}.last_activity_at,
  ${row}.token_count, ${row}.error_count, ${row}.cost, ${row}.unpriced_count)`

/** Reads the users of the threads that a statement changes, before and after. */
const changedUsers = (event: Event): string => {
  const of = (rows: string) => `SELECT project_id, participant_id FROM ${rows}`
  if (event === 'insert') return of('new_rows')
  if (event === 'delete') return of('old_rows')
  const changed = (wanted: 'o' | 'n') => `SELECT ${wanted}.project_id, ${wanted}.participant_id
    FROM old_rows o JOIN new_rows n ON n.project_id = o.project_id AND n.id = o.id
    WHERE ${read('o')} IS DISTINCT FROM ${read('n')}`
  return `${changed('o')} UNION ALL ${changed('n')}`
}

/**
 * The sums of each user's threads, and marks of users whose sums are out of date. Triggers mark the users of all threads that a
 * statement writes, before and after, in its transaction: so no way of writing can forget to. Marks are only ever added by
 * requests, which so never wait for each other.
 */
export const userSums: Migration = {
  async up(db) {
    const run = (text: string) => sql.raw(text).execute(db)
    await run(`CREATE TABLE participant_sums (
      project_id text COLLATE "C" NOT NULL,
      participant_id text COLLATE "C" NOT NULL,
      thread_count bigint NOT NULL,
      token_count bigint NOT NULL,
      error_count bigint NOT NULL,
      unpriced_count bigint NOT NULL,
      cost double precision,
      first_engaged timestamptz,
      last_engaged timestamptz,
      PRIMARY KEY (project_id, participant_id)
    )`)
    await run(`CREATE TABLE participant_marks (
      project_id text COLLATE "C" NOT NULL,
      participant_id text COLLATE "C" NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      marked_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, participant_id, id)
    )`)
    // Triggers of distributed tables are the workers' own, and a user's threads are on all of them.
    if (await isDistributed(db)) return
    for (const event of ['insert', 'update', 'delete'] as const) {
      const name = `mark_participants_${event}`
      // The plan is kept while the tables grow: rows of before and after are not compared each with all.
      await run(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql
SET enable_nestloop = off SET jit = off AS $body$
BEGIN
  INSERT INTO participant_marks (project_id, participant_id, marked_at)
  SELECT DISTINCT r.project_id, r.participant_id, now() FROM (${changedUsers(event)}) AS r
  WHERE r.participant_id IS NOT NULL;
  RETURN NULL;
END
$body$`)
      await run(`CREATE TRIGGER ${name} AFTER ${event} ON threads REFERENCING ${TRANSITIONS[event]}
        FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`)
    }
    await sql`SET LOCAL statement_timeout = 0`.execute(db)
    // Users of before.
    await run(`INSERT INTO participant_marks (project_id, participant_id, marked_at)
      SELECT project_id, id, now() FROM participants`)
  },
}
