import { sql } from 'kysely'
import type { Database } from './database.js'
import { isTooSlow } from './failures.js'
import { withTimeLimit } from './task.js'

/** A table is vacuumed when its dead rows exceed this number and this share of the live ones. */
const MIN_DEAD = 1000
const DEAD_SHARE = 0.25
/** The write-ahead log that may accumulate between two checkpoints. */
const LOG_BYTES = 24_000_000
/** Age of rows, in transactions, after which they are frozen: a twentieth of the limit. */
const FREEZE_AGE = 100_000_000
/** Smaller indexes are left alone, and those that are not larger than their rows account for. */
const INDEX_BYTES = 2_000_000
const INDEX_BYTES_OF_ROW = 400
/**
 * Time that a portion may hold all others up at first. One that needs longer is tried again, each time with twice as
 * much.
 */
const PATIENCE_MS = 1000
/** After an attempt that gave up, nothing is tried for this many times as long. */
const PAUSE = 20

/**
 * Live rows of a table. The counter of the engine is lost with its process, and a table that seems empty would have all
 * indexes rebuilt, for seconds each; the number that was noted at the last vacuum or analysis stays.
 */
const LIVE = sql.raw('greatest(s.n_live_tup, c.reltuples)::float8')

interface Table {
  name: string
  needsVacuum: boolean
  needsFreeze: boolean
}

/**
 * Frees the space of overwritten and deleted rows, and keeps the write-ahead log short. A PostgreSQL server has
 * background processes for that; the embedded engine has one session, which all share. So each portion is one table
 * without its TOAST table, or one index, and holds the others up only shortly.
 */
export class Upkeep {
  readonly #db: Database
  #logAtCheckpoint = -1
  #logAtLook = -1
  #patienceMs = PATIENCE_MS
  #pausedUntil = 0
  #holds = 0
  #checkpoint: Promise<void> | undefined
  /** Sizes of indexes after they were rebuilt here. */
  readonly #rebuilt = new Map<string, number>()

  constructor(db: Database) {
    this.#db = db
  }

  /** Runs the next portion. Returns false when there is nothing to do. */
  async work(): Promise<boolean> {
    const log = await this.#logPosition()
    // The process before may have left a long log.
    const isDue = this.#logAtCheckpoint < 0 || log - this.#logAtCheckpoint > LOG_BYTES
    if (isDue && this.#holds === 0) {
      this.#checkpoint = this.#makeCheckpoint()
      await this.#checkpoint
    }
    if (log === this.#logAtLook || performance.now() < this.#pausedUntil) return false
    const portion = await this.#next()
    if (portion === undefined) {
      this.#logAtLook = await this.#logPosition()
      return false
    }
    await this.#do(portion)
    return true
  }

  /** Makes no checkpoint until the returned function is called, so that the log stays. */
  async holdCheckpoints(): Promise<() => void> {
    this.#holds++
    await this.#checkpoint?.catch(() => undefined)
    return () => {
      this.#holds--
    }
  }

  async #makeCheckpoint(): Promise<void> {
    await sql`CHECKPOINT`.execute(this.#db)
    this.#logAtCheckpoint = await this.#logPosition()
  }

  async #do(portion: string): Promise<void> {
    try {
      await withTimeLimit(this.#patienceMs, () => sql.raw(portion).execute(this.#db))
      this.#patienceMs = PATIENCE_MS
    } catch (error) {
      if (!isTooSlow(error)) throw error
      this.#pausedUntil = performance.now() + PAUSE * this.#patienceMs
      this.#patienceMs *= 2
    }
  }

  async #next(): Promise<string | undefined> {
    const tables = await this.#tables()
    const next = tables.find(({ needsVacuum, needsFreeze }) => needsVacuum || needsFreeze)
    if (next !== undefined)
      return `VACUUM (PROCESS_TOAST false${next.needsFreeze ? ', FREEZE' : ''}) ${next.name}`
    return this.#nextIndex()
  }

  async #tables(): Promise<Table[]> {
    // Counters are published about once a second; this publishes them at once.
    await sql`SELECT pg_stat_force_next_flush()`.execute(this.#db)
    const { rows } = await sql<Table>`
      SELECT c.oid::regclass::text AS name,
        s.n_dead_tup > ${MIN_DEAD} AND s.n_dead_tup > ${DEAD_SHARE}::float8 * ${LIVE} AS "needsVacuum",
        age(c.relfrozenxid) > ${FREEZE_AGE} AS "needsFreeze"
      FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
      WHERE c.relkind IN ('r', 't') AND (age(c.relfrozenxid) > ${FREEZE_AGE} OR s.n_dead_tup > ${MIN_DEAD})
      ORDER BY s.n_dead_tup DESC`.execute(this.#db)
    return rows
  }

  /** Finds an index that is mostly empty: its pages are used again, but not freed. */
  async #nextIndex(): Promise<string | undefined> {
    const { rows } = await sql<{ name: string; bytes: number }>`
      SELECT i.indexrelid::regclass::text AS name, pg_relation_size(i.indexrelid)::float8 AS bytes
      FROM pg_index i JOIN pg_stat_user_tables s ON s.relid = i.indrelid JOIN pg_class c ON c.oid = i.indrelid
      WHERE pg_relation_size(i.indexrelid) > ${INDEX_BYTES} + ${INDEX_BYTES_OF_ROW} * ${LIVE}`.execute(
      this.#db,
    )
    const next = rows.find(({ name, bytes }) => bytes > 2 * (this.#rebuilt.get(name) ?? 0))
    if (next === undefined) return undefined
    this.#rebuilt.set(next.name, next.bytes)
    return `REINDEX INDEX ${next.name}`
  }

  async #logPosition(): Promise<number> {
    const { rows } = await sql<{ position: number }>`
      SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS position`.execute(
      this.#db,
    )
    return rows[0]?.position ?? 0
  }
}
