import { sql } from 'kysely'
import type { Database } from './database.js'

/** Growth after which the planner's statistics are out of date. */
const SHARE = 0.2
const MIN = 1000
/** Steps from which on a server's own refreshes, once a minute, are early enough; before, these are, at each doubling. */
const MAX_ON_SERVER = 100_000

/** Refreshes the planner's statistics of the tables, by a sample of a few thousand rows. */
export const refreshStatistics = async (db: Database): Promise<void> => {
  await db.connection().execute(async (connection) => {
    await sql`SET default_statistics_target = 10`.execute(connection)
    for (const table of ['steps', 'threads', 'scores', 'attachments', 'participants'])
      await sql`ANALYZE ${sql.table(table)}`.execute(connection)
    await sql`RESET default_statistics_target`.execute(connection)
  })
}

/**
 * Keeps the embedded engine's statistics up to date, which a PostgreSQL server does on its own, except for its first
 * minute. Without them the planner would assume tables of ten pages, and read all of a project where an index leads to a
 * few rows.
 */
export class Statistics {
  readonly #db: Database
  readonly #report: (error: unknown) => void
  readonly #isServer: boolean
  #isOver = false
  #rows = 0
  #threshold = MIN
  #running: Promise<void> | undefined

  constructor(db: Database, report: (error: unknown) => void, { isServer }: { isServer: boolean }) {
    this.#db = db
    this.#report = report
    this.#isServer = isServer
  }

  /** Counts rows that were written. Refreshes the statistics, in the background, when they have become many. */
  wrote(rows: number): void {
    this.#rows += rows
    if (this.#isOver || this.#rows < this.#threshold || this.#running !== undefined) return
    this.#rows = 0
    this.#running = this.#refresh()
      .catch(this.#report)
      .finally(() => {
        this.#running = undefined
      })
  }

  /** Resolves when no refresh is running. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #refresh(): Promise<void> {
    if (this.#isServer && (await this.#steps()) > MAX_ON_SERVER) {
      this.#isOver = true
      return
    }
    await refreshStatistics(this.#db)
    const steps = await this.#steps()
    this.#threshold = Math.max(MIN, steps * (this.#isServer ? 1 : SHARE))
    // Of a distributed table, the coordinator knows no number.
    this.#isOver = this.#isServer && steps <= 0
  }

  /** Returns the number of steps at the last refresh; -1 before the first one. */
  async #steps(): Promise<number> {
    const { rows } = await sql<{ rows: number }>`
      SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'steps'::regclass`.execute(
      this.#db,
    )
    return rows[0]?.rows ?? 0
  }
}
