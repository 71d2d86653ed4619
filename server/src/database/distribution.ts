import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from './database.js'
import { isOutage } from './failures.js'

/**
 * The tables that a distributed PostgreSQL (Citus) spreads over its workers, each by the column of its own id: the rows
 * of one project are on all workers, so that a large project does not overload one of them. No statement joins two of
 * these tables; a test checks all statements.
 */
export const DISTRIBUTED: Readonly<Record<string, string>> = {
  steps: 'id',
  threads: 'id',
  scores: 'id',
  attachments: 'id',
  sessions: 'id',
  session_losses: 'session_id',
  traces: 'id',
  span_logs: 'step_id',
  experiment_leases: 'experiment_id',
  judges: 'id',
  judge_days: 'name',
  judge_items: 'judge_id',
  rollups: 'project_id',
  kept_rollups: 'project_id',
  rollup_marks: 'project_id',
  rollup_fills: 'project_id',
  content_changes: 'id',
  content_blocks: 'number',
  content_slabs: 'first_block',
}

/** The other tables are small, and every worker has a copy of them. Referenced tables come first. */
export const REFERENCE: readonly string[] = [
  'projects',
  'api_keys',
  'person_sessions',
  'used_links',
  'secrets',
  'participants',
  'files',
  'datasets',
  'dataset_items',
  'experiments',
  'experiment_items',
  'prompt_lineages',
  'prompt_versions',
  'prompt_experiments',
  'score_definitions',
  'prices',
  'price_states',
  'views',
  'alerts',
  'alert_events',
  'content_states',
]

/**
 * Tables that only the coordinator has, which all statements reach the workers through: the audit log is refused changes by
 * triggers, and neither distributed tables nor copied ones have any.
 */
export const LOCAL: readonly string[] = [
  'audit_entries',
  'audit_runs',
  'moves',
  'move_changes',
  'deleted_projects',
]

/**
 * Makes the statements of a transaction run on one worker after the other: a table that all workers have cannot change
 * after several of them changed rows at once. Has to be the first statement; has no effect on a database that is not
 * distributed.
 */
export const inSequence = async (transaction: Database): Promise<void> => {
  await sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`.execute(transaction)
}

const hasCitus = async (db: Database): Promise<boolean> => {
  const { rows } = await sql`SELECT 1 FROM pg_extension WHERE extname = 'citus'`.execute(db)
  return rows.length > 0
}

/** Returns true when tables of a database lie on several servers. */
export const isDistributed = async (db: Database): Promise<boolean> => {
  if (!(await hasCitus(db))) return false
  const { rows } = await sql`SELECT 1 FROM pg_dist_partition LIMIT 1`.execute(db)
  return rows.length > 0
}

/**
 * Returns the numbers of the transactions of others that are open in this database. Each holds a lock on its own, which
 * everybody sees, from its first statement on: other numbers come with the first change, and on a distributed database,
 * where that is made elsewhere, with the commit.
 */
export const findOpenTransactions = async (db: Database): Promise<string[]> => {
  const { rows } = await sql<{ number: string }>`
    SELECT DISTINCT l.virtualtransaction AS number FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'virtualxid' AND a.datname = current_database() AND l.pid <> pg_backend_pid()
      AND a.backend_type IS DISTINCT FROM 'autovacuum worker'`.execute(db)
  return rows.map(({ number }) => number)
}

/** Shards of each worker: as many times more workers can share them later. Each commit costs more for each shard. */
const SHARDS_A_WORKER = 2
const CHECK_EVERY_MS = 100

export interface DistributionOptions {
  /** Shards of each large table. Default: as many as tables have already, or else two for each worker. */
  shards?: number | undefined
  /** Receives a line for each table. */
  say?: (line: string) => void
}

/**
 * Distributes the tables of a database with the Citus extension, one after the other: after an interruption, the next call
 * goes on with the next table. Returns the tables that were not distributed before. Their rows move while the service
 * runs; where the server writes no logical log (`wal_level`), writes to a table wait until its rows are there.
 * @throws Error when the extension is missing.
 */
export const distribute = async (
  db: Database,
  { shards, say = () => undefined }: DistributionOptions = {},
): Promise<string[]> => {
  if (!(await hasCitus(db)))
    throw new Error(
      'the database has no Citus extension; on a server that has it, CREATE EXTENSION citus makes it',
    )
  const changed: string[] = []
  await db.connection().execute(async (connection) => {
    await sql`SET statement_timeout = 0`.execute(connection)
    const { rows: tables } = await sql<{ name: string; shards: number; type: string }>`
      SELECT table_name::text AS name, shard_count::integer AS shards, citus_table_type AS type FROM citus_tables
      WHERE citus_table_type IN ('distributed', 'reference')`.execute(connection)
    const done = new Set(tables.map(({ name }) => name))
    const existing = tables.find(({ type }) => type === 'distributed')?.shards
    const count = existing ?? shards ?? SHARDS_A_WORKER * (await countWorkers(connection))
    const isConcurrent = await writesLogicalLog(connection)
    const left = [...REFERENCE, ...Object.keys(DISTRIBUTED)].filter((name) => !done.has(name))
    if (left.length === 0) return
    if (!isConcurrent)
      say('wal_level is not logical: writes to each table wait until its rows have moved')
    await endMarking(connection)
    await removeMeasured(connection, say)
    for (const [index, table] of left.entries()) {
      const since = performance.now()
      const column = DISTRIBUTED[table]
      const spread = (name: string, place: string) =>
        sql`SELECT ${sql.ref(name)}(${table}, ${place}, shard_count := ${sql.lit(count)})`.execute(
          connection,
        )
      if (column === undefined)
        await sql`SELECT create_reference_table(${table})`.execute(connection)
      else {
        const isMoved =
          isConcurrent &&
          (await hasRows(connection, table)) &&
          (await spread('create_distributed_table_concurrently', column).then(
            () => true,
            (error: unknown) => {
              if (isOutage(error)) throw error
              say(
                `${table}: rows can't move beside writes, which wait: ${error instanceof Error ? error.message : error}`,
              )
              return false
            },
          ))
        if (!isMoved) await spread('create_distributed_table', column)
      }
      changed.push(table)
      const seconds = ((performance.now() - since) / 1000).toFixed(1)
      const where = column === undefined ? 'copied to all workers' : `over ${count} shards`
      say(`${index + 1} of ${left.length}: ${table} ${where}, ${seconds} s`)
    }
  })
  return changed
}

const hasRows = async (db: Database, table: string): Promise<boolean> => {
  const { rows } = await sql`SELECT 1 FROM ${sql.table(table)} LIMIT 1`.execute(db)
  return rows.length > 0
}

const countWorkers = async (db: Database): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'`.execute(
    db,
  )
  return Math.max(1, rows[0]?.count ?? 1)
}

/** Returns true when rows can be copied while others are written. */
const writesLogicalLog = async (db: Database): Promise<boolean> => {
  const { rows } = await sql<{ level: string }>`
    SELECT current_setting('wal_level') AS level`.execute(db)
  return rows[0]?.level === 'logical'
}

/** Ends the marking of rows, as distributed tables have no triggers: metrics are then measured from rows. */
const endMarking = async (db: Database): Promise<void> => {
  const { rows } = await sql<{ name: string; table: string }>`
    SELECT tgname::text AS name, tgrelid::regclass::text AS table FROM pg_trigger
    WHERE tgrelid IN ('steps'::regclass, 'threads'::regclass) AND tgname ~ '^mark_'`.execute(db)
  for (const { name, table } of rows)
    await sql`DROP TRIGGER ${sql.ref(name)} ON ${sql.table(table)}`.execute(db)
}

/** Deletes what was measured ahead, also by transactions that began before the marking ended. */
const removeMeasured = async (db: Database, say: (line: string) => void): Promise<void> => {
  const remove = async () => {
    for (const table of ['rollup_fills', 'rollup_marks', 'rollups'])
      await sql`DELETE FROM ${sql.table(table)}`.execute(db)
  }
  await remove()
  const awaited = new Set(await findOpenTransactions(db))
  if (awaited.size > 0) say('waits for the end of transactions that began before')
  while ((await findOpenTransactions(db)).some((one) => awaited.has(one)))
    await wait(CHECK_EVERY_MS)
  await remove()
}
