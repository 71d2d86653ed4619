// PostgreSQL's own words on its functions: how often one has another result. Names of several functions count as the best.
import { CompiledQuery } from 'kysely'
import { openDatabase } from '../../src/database/database.js'

let known: Promise<Map<string, string>> | undefined

const read = async (): Promise<Map<string, string>> => {
  const db = await openDatabase({ folder: undefined })
  const { rows } = await db.executeQuery<{ name: string; kind: string }>(
    CompiledQuery.raw(
      `SELECT proname::text AS name, min(provolatile::text) AS kind FROM pg_proc GROUP BY 1`,
    ),
  )
  await db.destroy()
  return new Map(rows.map(({ name, kind }) => [name, kind]))
}

const kindOf = async (name: string): Promise<string | undefined> => {
  known ??= read()
  return (await known).get(name)
}

/** Returns true when a function may have another result with each call. */
export const isVolatile = async (name: string): Promise<boolean> => (await kindOf(name)) === 'v'

/** Returns true when a function has one result within a statement, and may have another in the next. */
export const isStable = async (name: string): Promise<boolean> => (await kindOf(name)) === 's'
