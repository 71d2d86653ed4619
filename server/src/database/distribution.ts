import { sql } from 'kysely'
import type { Database } from './database.js'

/**
 * What a distributed PostgreSQL (Citus) spreads over its workers, each table by the column of its own id: rows of one
 * project are on all workers, so that a large project is no hot one. No statement joins two of these tables; a test looks
 * at all of them.
 */
export const DISTRIBUTED: Readonly<Record<string, string>> = {
  steps: 'id',
  threads: 'id',
  scores: 'id',
  attachments: 'id',
  sessions: 'id',
  session_losses: 'session_id',
}

/** The others are small, and every worker has a copy of them. Those that others refer to come first. */
export const REFERENCE: readonly string[] = [
  'projects',
  'api_keys',
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
]

/**
 * Has the statements of a transaction go to one worker after the other: a table that all workers have can't be changed
 * after several of them changed rows at once. To be said first; a database that is not distributed takes no notice.
 */
export const inSequence = async (transaction: Database): Promise<void> => {
  await sql`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`.execute(transaction)
}

/**
 * Distributes the tables of a database where the Citus extension is. Gives the tables that were not yet; their rows move.
 * @throws Error when there is no such extension.
 */
export const distribute = async (db: Database): Promise<string[]> => {
  const { rows: extensions } = await sql`
    SELECT 1 FROM pg_extension WHERE extname = 'citus'`.execute(db)
  if (extensions.length === 0)
    throw new Error(
      'the database has no Citus extension; on a server that has it, CREATE EXTENSION citus makes it',
    )
  const { rows } = await sql<{ name: string }>`
    SELECT logicalrelid::text AS name FROM pg_dist_partition`.execute(db)
  const done = new Set(rows.map(({ name }) => name))
  const changed: string[] = []
  await db.connection().execute(async (connection) => {
    await sql`SET statement_timeout = 0`.execute(connection)
    for (const table of REFERENCE.filter((name) => !done.has(name))) {
      await sql`SELECT create_reference_table(${table})`.execute(connection)
      changed.push(table)
    }
    for (const [table, column] of Object.entries(DISTRIBUTED)) {
      if (done.has(table)) continue
      await sql`SELECT create_distributed_table(${table}, ${column})`.execute(connection)
      changed.push(table)
    }
  })
  return changed
}
