import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database.js'
import { isOutage } from '../failures.js'
import { hasCitus, LATELY_MS } from './cluster.js'
import { beginMarkingOnWorkers, endMarking, marksOnWorkers, removeMeasured } from './marking.js'
import { DISTRIBUTED, REFERENCE } from './tables.js'

/** Shards of each worker: as many times more workers can share them later. Each commit costs more for each shard. */
const SHARDS_A_WORKER = 2

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
    const isMarked = await marksOnWorkers(connection)
    if (left.length === 0 && isMarked) return
    if (left.length > 0 && !isConcurrent)
      say('wal_level is not logical: writes to each table wait until its rows have moved')
    if (!isMarked) {
      await endMarking(connection)
      await removeMeasured(connection, say)
    }
    /** When others can notice, while large tables are not distributed yet. */
    let firstAt: number | undefined
    for (const [index, table] of left.entries()) {
      const since = performance.now()
      const column = DISTRIBUTED[table]
      // Services at work read large tables by other statements then.
      if (firstAt !== undefined && column !== undefined && (await hasRows(connection, table)))
        await wait(Math.max(0, firstAt + LATELY_MS - performance.now()))
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
      if (done.size === 0) firstAt ??= performance.now()
      changed.push(table)
      const seconds = ((performance.now() - since) / 1000).toFixed(1)
      const where = column === undefined ? 'copied to all workers' : `over ${count} shards`
      say(`${index + 1} of ${left.length}: ${table} ${where}, ${seconds} s`)
    }
    if (!isMarked) await beginMarkingOnWorkers(connection, say)
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
