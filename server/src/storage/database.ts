import { Kysely, type Migration, Migrator, sql } from 'kysely'
import { MOST_ANSWER_BYTES } from './answer-size.js'
import { contract } from './migrations/0001-contract.js'
import { sessions } from './migrations/0002-sessions.js'
import { promptSegments } from './migrations/0003-prompt-segments.js'
import { keys } from './migrations/0004-keys.js'
import { fileChecks } from './migrations/0005-file-checks.js'
import { boundedLists } from './migrations/0006-bounded-lists.js'
import { compression } from './migrations/0007-compression.js'
import { outlines } from './migrations/0008-outlines.js'
import { definitions } from './migrations/0009-definitions.js'
import { openPglite, PgliteDialect } from './pglite.js'
import { postgresDialect } from './postgres.js'

/** No table types: statements are written in SQL, each beside the type of the rows that it gives. */
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
export type DatabaseLocation = (
  | { folder: string | undefined }
  | { url: string; statementTimeoutMs: number; report: (error: unknown) => void }
) & {
  /** How much an answer may hold. */
  answerBytes?: number
}

/** Opens a database and brings it up to date. Several processes may do so at once: one migrates, the others wait. */
export const openDatabase = async (location: DatabaseLocation): Promise<Database> => {
  const { answerBytes = MOST_ANSWER_BYTES } = location
  const dialect =
    'url' in location
      ? postgresDialect(location.url, { ...location, answerBytes })
      : new PgliteDialect(await openPglite(location.folder), answerBytes)
  const db: Database = new Kysely({ dialect })
  try {
    await refuseNewer(db)
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
    const { error } = await migrator.migrateToLatest()
    if (error !== undefined) throw error
    return db
  } catch (error) {
    await db.destroy()
    throw error
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
