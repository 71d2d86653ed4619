import { Kysely, type Migration, Migrator, sql } from 'kysely'
import { contract } from './migrations/0001-contract.js'
import { sessions } from './migrations/0002-sessions.js'
import { promptSegments } from './migrations/0003-prompt-segments.js'
import { openPglite, PgliteDialect } from './pglite.js'

/** No table types: statements are written in SQL, each beside the type of the rows that it gives. */
export type Database = Kysely<Record<string, never>>

const migrations: Record<string, Migration> = {
  '0001-contract': statements(contract),
  '0002-sessions': statements(sessions),
  '0003-prompt-segments': statements(promptSegments),
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
      for (const part of parts) await sql.raw(part).execute(db)
    },
  }
}

/** Whether a statement failed because a value that must be unique is taken. */
export const isTaken = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === '23505'

/** Opens the embedded database in `folder` (in memory without one) and brings it up to date. */
export const openDatabase = async (folder: string | undefined): Promise<Database> => {
  const db: Database = new Kysely({ dialect: new PgliteDialect(await openPglite(folder)) })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    await db.destroy()
    throw error
  }
  return db
}
