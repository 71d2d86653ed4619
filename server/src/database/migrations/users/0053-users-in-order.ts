import { type Migration, sql } from 'kysely'
import { isDistributed } from '../../distribution/cluster.js'

/** The sums that users are ordered by, as their list compares them. */
const ORDERS = {
  threads: 'coalesce(thread_count, 0)::float8',
  tokens: 'coalesce(token_count, 0)::float8',
  errors: 'coalesce(error_count, 0)::float8',
  cost: 'cost',
  // With a time zone, it would depend on that of the session.
  first: `extract(epoch FROM first_engaged AT TIME ZONE 'UTC')::float8`,
  last: `extract(epoch FROM last_engaged AT TIME ZONE 'UTC')::float8`,
}

/**
 * Indexes of users by their sums. They have all users but the marked ones, as a new user is marked too: until then, one without
 * threads had neither sums nor a mark.
 */
export const usersInOrder: Migration = {
  async up(db) {
    const run = (text: string) => sql.raw(text).execute(db)
    await sql`SET LOCAL statement_timeout = 0`.execute(db)
    for (const [name, value] of Object.entries(ORDERS))
      await run(`CREATE INDEX participant_sums_${name} ON participant_sums
        (project_id, coalesce(${value}, '-Infinity'::float8), participant_id)`)
    if (await isDistributed(db)) return
    await run(`CREATE FUNCTION mark_participants_created() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO participant_marks (project_id, participant_id, marked_at)
  SELECT project_id, id, now() FROM new_rows;
  RETURN NULL;
END
$body$`)
    await run(`CREATE TRIGGER mark_participants_created AFTER INSERT ON participants REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION mark_participants_created()`)
    await run(`INSERT INTO participant_marks (project_id, participant_id, marked_at)
      SELECT p.project_id, p.id, now() FROM participants p
      WHERE NOT EXISTS (SELECT FROM participant_sums s WHERE s.project_id = p.project_id AND s.participant_id = p.id)`)
  },
}
