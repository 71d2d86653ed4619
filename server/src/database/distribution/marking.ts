import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.js'
import {
  changedMinutes,
  EVENTS,
  SOURCES,
  TRANSITIONS,
} from '../migrations/measuring/0028-rollups.js'
import { findOpenTransactions } from './cluster.js'

const CHECK_EVERY_MS = 100

/** The one of the triggers that measuring looks for: it is made last. */
const SENTINEL = 'mark_steps_update'

const FUNCTION_PREFIX = 'mark_shard_'

/** Returns true when workers mark the rows that they write. */
export const marksOnWorkers = async (db: Database): Promise<boolean> => {
  const { rows } = await sql`
    SELECT 1 FROM pg_trigger WHERE tgrelid = 'steps'::regclass AND tgname = ${SENTINEL}
      AND tgfoid::regproc::text LIKE ${`%${FUNCTION_PREFIX}%`}`.execute(db)
  return rows.length > 0
}

/** Ends the marking of rows while their tables are distributed: a table with triggers is not. */
export const endMarking = async (db: Database): Promise<void> => {
  const { rows } = await sql<{ name: string; table: string }>`
    SELECT tgname::text AS name, tgrelid::regclass::text AS table FROM pg_trigger
    WHERE tgrelid IN ('steps'::regclass, 'threads'::regclass, 'scores'::regclass, 'participants'::regclass) AND tgname ~ '^mark_'`.execute(
    db,
  )
  const drop = (of: Database, { name, table }: (typeof rows)[number]) =>
    sql`DROP TRIGGER ${sql.ref(name)} ON ${sql.table(table)}`.execute(of)
  const ofUsers = rows.filter(({ name }) => name.startsWith('mark_participants_'))
  for (const row of rows) if (!ofUsers.includes(row)) await drop(db, row)
  // Sums of users hold as long as changes of threads mark them: both end at once.
  await db.transaction().execute(async (transaction) => {
    for (const row of ofUsers) await drop(transaction, row)
    await sql`DELETE FROM participant_sums`.execute(transaction)
  })
}

/** Deletes what was measured ahead, also by transactions that began before the marking ended. */
export const removeMeasured = async (db: Database, say: (line: string) => void): Promise<void> => {
  const remove = async () => {
    for (const table of ['rollup_fills', 'rollup_marks', 'rollups', 'participant_marks'])
      await sql`DELETE FROM ${sql.table(table)}`.execute(db)
  }
  await remove()
  const awaited = new Set(await findOpenTransactions(db))
  if (awaited.size > 0) say('waits for the end of transactions that began before')
  while ((await findOpenTransactions(db)).some((one) => awaited.has(one)))
    await wait(CHECK_EVERY_MS)
  await remove()
}

/** Returns true when marks and the rows that they are for lie together, shard by shard. */
const areTogether = async (db: Database): Promise<boolean> => {
  const { rows } = await sql<{ groups: number }>`
    SELECT count(DISTINCT colocation_id)::integer AS groups FROM citus_tables
    WHERE table_name IN ('steps'::regclass, 'threads'::regclass, 'rollup_marks'::regclass)`.execute(
    db,
  )
  return rows[0]?.groups === 1
}

/**
 * Lets each worker mark the rows that it writes, beside them, and has all rows of before measured. Measuring begins with the last
 * trigger; a table waits for the writes under way when it gets one, so that no write is without a mark from then on.
 */
export const beginMarkingOnWorkers = async (
  db: Database,
  say: (line: string) => void,
): Promise<void> => {
  if (!(await areTogether(db)))
    return say('metrics are not measured ahead: steps, threads and rollup_marks are not colocated')
  await sql`
    INSERT INTO rollup_fills (project_id, source)
    SELECT p.id, s.source FROM projects p CROSS JOIN (VALUES ('steps'), ('threads')) AS s (source)
    ON CONFLICT (project_id, source) DO UPDATE SET reached = NULL`.execute(db)
  // Citus warns of triggers that write to other workers. These write to the one that they run on.
  await sql`SET citus.enable_unsafe_triggers TO on`.execute(db)
  try {
    const all = SOURCES.flatMap((source) => EVENTS.map((event) => ({ source, event })))
    const nameOf = ({ source, event }: (typeof all)[number]) => `mark_${source}_${event}`
    const isLast = (one: (typeof all)[number]) => nameOf(one) === SENTINEL
    for (const { source, event } of all.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)))) {
      const called = `${FUNCTION_PREFIX}${source}_${event}`
      await sql.raw(functionOf(called, source, event)).execute(db)
      await sql
        .raw(
          `CREATE OR REPLACE TRIGGER ${nameOf({ source, event })} AFTER ${event} ON ${source}
            REFERENCING ${TRANSITIONS[event]} FOR EACH STATEMENT EXECUTE FUNCTION ${called}()`,
        )
        .execute(db)
    }
  } finally {
    await sql`RESET citus.enable_unsafe_triggers`.execute(db)
  }
}

/**
 * Returns a function that runs on the table of one shard. Marks go into the shard of theirs that lies beside it: any of its rows
 * has an id of both.
 */
const functionOf = (
  name: string,
  source: (typeof SOURCES)[number],
  event: (typeof EVENTS)[number],
): string => {
  const rows = event === 'delete' ? 'old_rows' : 'new_rows'
  return `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  marks text;
BEGIN
  SELECT format('%I.%I', TG_TABLE_SCHEMA, 'rollup_marks_' || beside.shardid) INTO STRICT marks
  FROM pg_dist_shard own JOIN pg_dist_shard beside ON beside.shardminvalue = own.shardminvalue
  WHERE own.shardid = substring(TG_TABLE_NAME FROM '_([0-9]+)$')::bigint
    AND beside.logicalrelid = format('%I.rollup_marks', TG_TABLE_SCHEMA)::regclass;
  EXECUTE 'INSERT INTO ' || marks || $insert$ (project_id, source, seconds, start, id, marked_at, row_id)
    OVERRIDING SYSTEM VALUE
    SELECT r.project_id, '${source}', 60, r.start, nextval($1), now(), (SELECT min(id) FROM ${rows})
    FROM (SELECT DISTINCT project_id, start FROM (${changedMinutes(source, event)}) AS changed) AS r$insert$
  USING format('%I.rollup_marks_id_seq', TG_TABLE_SCHEMA)::regclass;
  RETURN NULL;
END
$body$`
}
