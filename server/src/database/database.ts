import { Kysely, type Migration, Migrator, sql } from 'kysely'
import { MAX_ANSWER_BYTES } from '../kernel/limits.js'
import { type Connections, dialectOver } from './driver.js'
import { embeddedConnections } from './embedded.js'
import { Engine } from './engine/engine.js'
import { contract } from './migrations/0001-contract.js'
import { sessions } from './migrations/0002-sessions.js'
import { promptSegments } from './migrations/0003-prompt-segments.js'
import { keys } from './migrations/0004-keys.js'
import { fileChecks } from './migrations/0005-file-checks.js'
import { boundedLists } from './migrations/0006-bounded-lists.js'
import { compression } from './migrations/0007-compression.js'
import { outlines } from './migrations/0008-outlines.js'
import { definitions } from './migrations/0009-definitions.js'
import { postgresConnections, waitForServer } from './postgres.js'
import { SESSION } from './session.js'
import { withoutTimeLimit } from './time-limit.js'

/** Knows no tables: statements are SQL, whose rows get their types from what they select (`rows/sql.ts`). */
export type Database = Kysely<Record<string, never>>

/** In the order of their names. None of them changes once it was released. */
export const migrations: Record<string, Migration> = {
  '0001-contract': statements(contract),
  '0002-sessions': statements(sessions),
  '0003-prompt-segments': statements(promptSegments),
  '0004-keys': statements(keys),
  '0005-file-checks': statements(fileChecks),
  '0006-bounded-lists': statements(boundedLists),
  '0007-compression': compression,
  '0008-outlines': statements(outlines),
  '0009-definitions': statements(definitions),
}

/** A migration of plain statements, sent one by one, as a prepared statement holds only one. */
function statements(script: string): Migration {
  const parts = script
    .replace(/--.*$/gm, '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return {
    async up(db) {
      // An index of a large table takes longer than any statement of a request may.
      await sql`SET LOCAL statement_timeout = 0`.execute(db)
      for (const part of parts) await sql.raw(part).execute(db)
    },
  }
}

/** Where the database is: an embedded one in a folder, or in memory without it, or a server by its URL. */
export type DatabaseLocation = ({ folder: string | undefined } | { url: string }) & {
  /** The time that a statement may take, in milliseconds; 0, as without it, for as long as it needs. */
  statementTimeoutMs?: number
  /** The bytes that an answer may hold. */
  answerBytes?: number
  /** Gets what goes wrong while nobody waits for it. */
  report?: (error: unknown) => void
  /** Is told when a request waits for a connection. */
  waited?: () => void
  /** Is told what a start waits for. */
  say?: (text: string) => void
  /** Ends the start. */
  signal?: AbortSignal | undefined
}

/** Opens a database and brings it up to date. Several processes may do so at once: one migrates, the others wait. */
export const openDatabase = async (location: DatabaseLocation): Promise<Database> => {
  const engine = await openEngine(location)
  try {
    // Neither building an index of a large table nor waiting for the process that does is bound by the time-out of requests.
    await withoutTimeLimit(() => migrate(engine.connect(0)))
    const db = engine.connect(location.statementTimeoutMs ?? 0)
    const destroy = db.destroy.bind(db)
    db.destroy = async () => {
      await destroy()
      await engine.close()
    }
    return db
  } catch (error) {
    await engine.close()
    location.signal?.throwIfAborted()
    throw error
  }
}

export interface OpenEngine {
  /** Makes connections of their own, whose statements take no longer than given, or than they need where it is 0. */
  connect: (statementTimeoutMs: number) => Database
  close: () => Promise<void>
}

/** Opens a database as it is. */
export const openEngine = async (location: DatabaseLocation): Promise<OpenEngine> => {
  const {
    answerBytes = MAX_ANSWER_BYTES,
    report = () => undefined,
    waited = () => undefined,
    say = () => undefined,
    signal,
  } = location
  const over = (connections: (timeoutMs: number) => Connections) => (statementTimeoutMs: number) =>
    new Kysely<Record<string, never>>({
      dialect: dialectOver(connections(statementTimeoutMs), {
        statementTimeoutMs,
        answerBytes,
        report,
        waited,
      }),
    })
  if ('url' in location) {
    const { url } = location
    await waitForServer(url, { say, signal })
    return { connect: over((ms) => postgresConnections(url, ms)), close: async () => undefined }
  }
  const settings = SESSION.map((setting) => setting.replaceAll(' ', ''))
  const engine = await Engine.open({ folder: location.folder, settings, report, signal })
  return { connect: over(() => embeddedConnections(engine)), close: () => engine.close() }
}

/** Brings a database up to date, and closes the connections that it took. */
const migrate = async (db: Database): Promise<void> => {
  try {
    await refuseUnfit(db)
    await refuseNewer(db)
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
  } finally {
    await db.destroy()
  }
}

/** Runs something while no other process runs the same. */
export const alone = <Result>(
  db: Database,
  name: string,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> =>
  db.transaction().execute(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(hashtext(${`stepwell ${name}`}))`.execute(transaction)
    return work(transaction)
  })

/** Texts are compared whatever their script and case, which takes Unicode's rules on both sides. */
const refuseUnfit = async (db: Database): Promise<void> => {
  const { rows } = await sql<{ encoding: string; collation: boolean }>`
    SELECT current_setting('server_encoding') AS encoding,
      EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu') AS collation`.execute(db)
  const [found] = rows
  if (found?.encoding !== 'UTF8')
    throw new Error(
      `the database has the encoding ${found?.encoding}; make one with ENCODING 'UTF8'`,
    )
  if (!found.collation)
    throw new Error(
      'the database has no collation und-x-icu; use a PostgreSQL built with ICU, as almost all are',
    )
}

/** A newer program may have given columns a meaning that this one would not keep. */
const refuseNewer = async (db: Database): Promise<void> => {
  const { rows: tables } = await sql<{ name: string | null }>`
    SELECT to_regclass('kysely_migration')::text AS name`.execute(db)
  if (tables[0]?.name == null) return
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  const unknown = rows.map(({ name }) => name).filter((name) => !(name in migrations))
  if (unknown.length > 0)
    throw new Error(
      `the database was brought up to date by a newer version of Stepwell (${unknown.join(', ')}); start that version, or a later one`,
    )
}
