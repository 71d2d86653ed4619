import {
  type Dialect,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import { boundedParsers } from './answer-size.js'
import { isOutage, translated, unreachable } from './failures.js'
import { encodeParameter } from './parameters.js'
import { SESSION } from './session.js'

/** Connections at once. */
const MOST_CONNECTIONS = 10
/** Statements that a connection keeps prepared: the program has some dozens, and lists as many as people make filters. */
const MOST_PREPARED = 200
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 60_000

export interface PostgresOptions {
  /** How long a statement may take before the server ends it, in milliseconds; 0 for as long as it needs. */
  statementTimeoutMs: number
  /** How much an answer may hold. */
  answerBytes: number
  report: (error: unknown) => void
}

/** Readers of one answer. */
const typesWithin = (mostBytes: number) => {
  const own: Partial<Record<number, (text: string) => unknown>> = boundedParsers(mostBytes)
  return {
    getTypeParser: (id: number, format?: string) =>
      own[id] ?? pg.types.getTypeParser(id, format as 'text'),
  } as pg.CustomTypesConfig
}

/** A PostgreSQL server, by its URL. */
export const postgresDialect = (
  url: string,
  { statementTimeoutMs, answerBytes, report }: PostgresOptions,
): Dialect => {
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    application_name: 'stepwell',
    options: [`statement_timeout=${statementTimeoutMs}`, ...SESSION]
      .map((setting) => `-c ${setting.replaceAll(' ', '')}`)
      .join(' '),
  })
  // A connection that breaks while nobody uses it is replaced by the next one that is needed.
  pool.on('error', report)
  // One that breaks between the statements of a transaction says so to nobody else, and the next statement fails by it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST_PREPARED) return known
    const name = `stepwell_${names.size}`
    names.set(text, name)
    return name
  }
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect().catch((error) => {
      throw unreachable(error)
    })
    let isBroken = false
    return {
      query: async (text: string, parameters: readonly unknown[]) => {
        const name = nameOf(text)
        const query = {
          text,
          values: parameters.map(encodeParameter),
          types: typesWithin(answerBytes),
        }
        try {
          const result = await client.query(name === undefined ? query : { ...query, name })
          return result as unknown as PostgresQueryResult<never>
        } catch (error) {
          const reason = translated(error)
          // What is left of a connection that broke is of no use to the next one.
          isBroken ||= isOutage(reason)
          throw reason
        }
      },
      release: () => client.release(isBroken),
    } as unknown as PostgresPoolClient
  }
  return new PostgresDialect({
    pool: { connect, end: () => pool.end() } as PostgresPool,
  })
}
