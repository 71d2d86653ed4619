import { type Migration, sql } from 'kysely'

const ENTRY = `
  action text COLLATE "C" NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  actor_id text COLLATE "C",
  actor_name text,
  subject_kind text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C",
  subject_name text,
  fields text[] NOT NULL,
  details json NOT NULL,
  request_id text COLLATE "C"`

/**
 * The audit log, which takes new entries only: triggers refuse everything else, whoever asks. `audit_runs` has what runs
 * of many transactions have done so far; each becomes an entry at its end.
 */
export const audit: Migration = {
  async up(db) {
    const run = (text: string) => sql.raw(text).execute(db)
    await run(`CREATE TABLE audit_entries (
      project_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ${ENTRY},
      PRIMARY KEY (project_id, id)
    )`)
    await run('CREATE INDEX audit_entries_created ON audit_entries (project_id, created_at, id)')
    // Applications choose the ids of threads and steps, which are longer than an entry of an index may be.
    for (const [name, value] of [
      ['action', 'action'],
      ['actor', 'actor_id'],
      ['subject', 'left(subject_id, 200)'],
      ['request', 'request_id'],
    ])
      await run(
        `CREATE INDEX audit_entries_${name} ON audit_entries (project_id, ${value}, created_at, id)`,
      )
    // Keys do nearly all, and an index of them would be another one by time.
    await run(`CREATE INDEX audit_entries_actor_kind ON audit_entries (project_id, actor_kind, created_at, id)
      WHERE actor_kind <> 'KEY'`)
    await run(`CREATE FUNCTION audit_entries_refuse() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'entries of the audit log are neither changed nor deleted' USING ERRCODE = 'insufficient_privilege';
END
$body$`)
    await run(`CREATE TRIGGER audit_entries_refuse BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
      FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_refuse()`)
    await run(`CREATE TABLE audit_runs (
      project_id text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ${ENTRY},
      PRIMARY KEY (project_id, id)
    )`)
    await run('CREATE INDEX audit_runs_noted ON audit_runs (noted_at)')
  },
}
