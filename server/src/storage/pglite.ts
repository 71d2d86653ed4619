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
import { boundedParsers, MOST_ANSWER_BYTES } from './answer-size.js'
import { translated } from './failures.js'
import { encodeParameter } from './parameters.js'
import { SESSION } from './session.js'

/** Embedded PostgreSQL in a folder, or in memory without one. Its one connection is handed from query to query. */
export const openPglite = async (folder: string | undefined): Promise<PGlite> => {
  const pglite = new PGlite(folder === undefined ? {} : { dataDir: folder })
  await pglite.waitReady
  await pglite.exec(
    [...SESSION, 'statement_timeout = 0'].map((setting) => `SET ${setting}`).join(';'),
  )
  return pglite
}

export class PgliteDialect implements Dialect {
  readonly #pglite: PGlite
  readonly #answerBytes: number

  constructor(pglite: PGlite, answerBytes = MOST_ANSWER_BYTES) {
    this.#pglite = pglite
    this.#answerBytes = answerBytes
  }

  createDriver = () => new PgliteDriver(this.#pglite, this.#answerBytes)
  createQueryCompiler = () => new PostgresQueryCompiler()
  createAdapter = () => new PostgresAdapter()
  createIntrospector: Dialect['createIntrospector'] = (db) => new PostgresIntrospector(db)
}

class PgliteDriver implements Driver {
  readonly #connection: PgliteConnection
  readonly #pglite: PGlite
  #turn: Promise<void> = Promise.resolve()

  constructor(pglite: PGlite, answerBytes: number) {
    this.#pglite = pglite
    this.#connection = new PgliteConnection(pglite, answerBytes)
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
  readonly #answerBytes: number

  constructor(pglite: PGlite, answerBytes: number) {
    this.#pglite = pglite
    this.#answerBytes = answerBytes
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result: Results<Row> = await this.#pglite
      .query<Row>(query.sql, query.parameters.map(encodeParameter), {
        parsers: boundedParsers(this.#answerBytes),
      })
      .catch((error) => {
        throw translated(error)
      })
    return { rows: result.rows, numAffectedRows: BigInt(result.affectedRows ?? 0) }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for a generator; nothing here streams.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('the embedded database does not stream')
  }
}
