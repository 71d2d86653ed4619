import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { shownDatabase } from '../kernel/database-url.js'
import type { Connections } from './driver.js'
import { SESSION } from './session.js'

/** Settings of a distributed database. Other servers have no use for them. */
const DISTRIBUTED = [
  // Workers take the settings of a transaction too: the time that it waits for locked rows is no limit where the rows are, otherwise.
  'citus.propagate_set_commands=local',
  // One change on many workers does not keep out all others, of whatever project. Transactions lock rows in the same order themselves.
  'citus.enable_deadlock_prevention=off',
]
/** Connections at once. */
const MAX_CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 60_000
/** Time that a start waits for a server that is starting too. */
const STARTING_MS = 10_000
const TRY_EVERY_MS = 500
/** Nothing listens yet, or the server reports that it is starting, stopping or recovering. */
const STARTING = new Set(['ECONNREFUSED', 'ENOENT', '57P01', '57P02', '57P03'])

/** Connects to a PostgreSQL server, by its URL. */
export const postgresConnections = (url: string, statementTimeoutMs: number): Connections => {
  const config: pg.PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'stepwell',
  }
  return {
    pool: new pg.Pool({
      ...config,
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      options: [`statement_timeout=${statementTimeoutMs}`, ...SESSION, ...DISTRIBUTED]
        .map((setting) => `-c ${setting.replaceAll(' ', '')}`)
        .join(' '),
    }),
    cancel: async (connection) => {
      // A separate connection: those of the pool may all be waiting for the same lock.
      const client = new pg.Client(config)
      client.on('error', () => undefined)
      await client.connect()
      try {
        const { processID } = connection as unknown as { processID: number }
        await client.query('SELECT pg_cancel_backend($1::integer)', [processID])
      } finally {
        await client.end()
      }
    },
    abandon: (connection, reason) => {
      const { connection: protocol } = connection as unknown as {
        connection: { stream: { destroy: (reason: Error) => void } }
      }
      protocol.stream.destroy(reason)
    },
  }
}

/**
 * Waits until a server takes connections: shortly if it may be starting, and not at all if it never will.
 *
 * @param say - Receives a text about what is being waited for.
 * @throws Error with the reason, and without the secrets of the URL.
 */
export const waitForServer = async (
  url: string,
  {
    say,
    signal,
    startingMs = STARTING_MS,
  }: {
    say: (text: string) => void
    signal?: AbortSignal | undefined
    startingMs?: number | undefined
  },
): Promise<void> => {
  const deadline = performance.now() + startingMs
  for (let attempt = 0; ; attempt++) {
    signal?.throwIfAborted()
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    })
    client.on('error', () => undefined)
    const giveUp = () => void client.end().catch(() => undefined)
    signal?.addEventListener('abort', giveUp)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      void client.end().catch(() => undefined)
      signal?.throwIfAborted()
      const { host, name } = shownDatabase(url)
      const code = String((error as NodeJS.ErrnoException).code)
      const reason = reasonOf(error)
      if (!STARTING.has(code) || performance.now() >= deadline)
        throw new UnreachableDatabase(
          `the database ${name} at ${host} is unreachable: ${reason}`,
          remedyOf(code, reason),
          error,
        )
      if (attempt === 0) say(`waits for the database at ${host}: ${reason}`)
      await wait(TRY_EVERY_MS)
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }
}

/** The error of a server that takes no connection, with the remedy. */
export class UnreachableDatabase extends Error {
  readonly found: string
  readonly remedy: string

  constructor(found: string, remedy: string, cause: unknown) {
    super(`${found}; ${remedy}`, { cause })
    this.found = found
    this.remedy = remedy
  }
}

/** Returns the remedy for a refused connection. */
const remedyOf = (code: string, reason: string): string => {
  if (/user name specified/.test(reason)) return 'name the user in the URL'
  if (code === '28P01' || /password/.test(reason))
    return 'check the user and the password in the URL'
  if (code === '28000') return 'have pg_hba.conf of the server admit this user from this machine'
  if (code === '3D000') return 'create it with createdb, or name another one in the URL'
  if (/^53/.test(code)) return 'make room on the server, or raise its max_connections'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'check the host in the URL'
  if (/SSL|certificate/i.test(reason)) return 'check sslmode in the URL'
  return 'check that the server runs, and host and port in the URL'
}

/** Returns the first reason when several addresses were tried. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || String(error) : String(error)
}
