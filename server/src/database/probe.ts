import { sql } from 'kysely'
import pg from 'pg'
import { type Database, migrations } from './database.js'
import { isTooSlow, translated } from './failures.js'
import { withoutTimeLimit, withTimeLimit } from './task.js'

/** The result of a look at the database: `busy` if it works on other statements for longer than the look may take. */
export type Look = { migrations: readonly string[] } | 'busy'

/** Looks if a database answers, and which migrations it has. Fails when it does not answer. */
export interface Probe {
  look: () => Promise<Look>
  close: () => Promise<void>
}

const MIGRATIONS = 'SELECT name FROM kysely_migration'
/** Finds nothing, by an index. On a cluster it asks all workers: while one is away, no batch can be stored and no list read. */
const STEPS = "SELECT id FROM steps WHERE project_id = '' LIMIT 1"

/** Probes a server by a connection of its own: those for requests may all be in use, which says nothing about the server. */
export const serverProbe = (url: string, timeoutMs: number): Probe => {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'stepwell health',
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    statement_timeout: timeoutMs,
    idleTimeoutMillis: 60_000,
    allowExitOnIdle: true,
  })
  // The next look meets what broke the connection.
  pool.on('error', () => undefined)
  return {
    look: async () => {
      try {
        const { rows } = await pool.query<{ name: string }>(MIGRATIONS)
        await pool.query(STEPS)
        return { migrations: rows.map(({ name }) => name) }
      } catch (error) {
        throw translated(error)
      }
    },
    close: () => pool.end(),
  }
}

/** Probes the embedded engine, whose only session may be busy with a long statement. */
export const embeddedProbe = (db: Database, timeoutMs: number): Probe => ({
  look: () =>
    withoutTimeLimit(() =>
      withTimeLimit(timeoutMs, async () => {
        try {
          const { rows } = await sql.raw<{ name: string }>(MIGRATIONS).execute(db)
          return { migrations: rows.map(({ name }) => name) }
        } catch (error) {
          if (isTooSlow(error)) return 'busy'
          throw error
        }
      }),
    ),
  close: async () => undefined,
})

/** Compares migrations with those of this program: `newer` while later versions take over, `missing` after a restore of older data. */
export const compareMigrations = (names: readonly string[]): 'current' | 'newer' | 'missing' => {
  const known = Object.keys(migrations)
  if (known.some((name) => !names.includes(name))) return 'missing'
  return names.length > known.length ? 'newer' : 'current'
}
