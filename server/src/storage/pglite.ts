import { PGlite, type Results } from '@electric-sql/pglite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { encodeParameter } from './parameters.js'
import { decodeJson, decodeText } from './text.js'

/** How PostgreSQL's text forms become the values that rows hold, by type id. */
const parsers = {
  20: Number, // bigint: counts and token sums, far below 2^53
  25: decodeText,
  114: decodeJson,
  1184: (text: string) => instantOf(text), // timestamptz
}

/** `2026-11-21 10:00:00.5+00` as an Instant. The session's time zone is UTC. */
const instantOf = (text: string): string => {
  const [day, time = ''] = text.split(' ')
  const [seconds, fraction = ''] = time.replace(/\+00$/, '').split('.')
  return `${day}T${seconds}.${fraction.padEnd(6, '0')}Z`
}

/** Embedded PostgreSQL in a folder, or in memory without one. Its one connection is handed from query to query. */
export const openPglite = async (folder: string | undefined): Promise<PGlite> => {
  const pglite = new PGlite({ ...(folder === undefined ? {} : { dataDir: folder }), parsers })
  await pglite.waitReady
  await pglite.exec(`SET TimeZone = 'UTC'; SET statement_timeout = 0; SET jit = off`)
  return pglite
}

export class PgliteDialect implements Dialect {
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  createDriver = () => new PgliteDriver(this.#pglite)
  createQueryCompiler = () => new PostgresQueryCompiler()
  createAdapter = () => new PostgresAdapter()
  createIntrospector: Dialect['createIntrospector'] = (db) => new PostgresIntrospector(db)
}

class PgliteDriver implements Driver {
  readonly #connection: PgliteConnection
  readonly #pglite: PGlite
  #turn: Promise<void> = Promise.resolve()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
    this.#connection = new PgliteConnection(pglite)
  }

  async init(): Promise<void> {}

  /** Hands out the one connection, first come first served, and keeps it for the holder until it is released. */
  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#turn
    let release = () => {}
    this.#turn = new Promise((resolve) => {
      release = resolve
    })
    await before
    this.#connection.release = release
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#connection.release()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('BEGIN'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('COMMIT'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('ROLLBACK'))
  }

  async destroy(): Promise<void> {
    await this.#pglite.close()
  }
}

class PgliteConnection implements DatabaseConnection {
  release = () => {}
  readonly #pglite: PGlite

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result: Results<Row> = await this.#pglite.query(
      query.sql,
      query.parameters.map(encodeParameter),
    )
    return { rows: result.rows, numAffectedRows: BigInt(result.affectedRows ?? 0) }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator; nothing here streams.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('the embedded database does not stream')
  }
}
