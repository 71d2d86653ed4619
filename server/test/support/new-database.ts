// A new database: in memory, or on the server of STEPWELL_TEST_DATABASE.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type DatabaseLocation, openDatabase } from '../../src/database/database.js'

const server = process.env.STEPWELL_TEST_DATABASE
/** Names the database that others are copies of; unset if they start empty. */
const TEMPLATE = 'STEPWELL_TEST_TEMPLATE'

const urlOf = (name: string): string =>
  Object.assign(new URL(server ?? ''), { pathname: name }).href

const newName = (): string => `stepwell_${randomUUID().replaceAll('-', '')}`

const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

const drop = (name: string): Promise<void> => administer(`DROP DATABASE ${name} WITH (FORCE)`)

export const newDatabase = async (): Promise<{
  location: DatabaseLocation
  drop: () => Promise<void>
}> => {
  if (!server) return { location: { folder: undefined }, drop: async () => undefined }
  const name = newName()
  await administer(`CREATE DATABASE ${name} TEMPLATE ${process.env[TEMPLATE] ?? 'template1'}`)
  return {
    location: { url: urlOf(name), statementTimeoutMs: 60_000, report: () => undefined },
    drop: () => drop(name),
  }
}

/** Creates the database that those of a test run are copies of. Returns a function that drops it. */
export const makeTemplateDatabase = async (): Promise<() => Promise<void>> => {
  if (!server) return async () => undefined
  const name = newName()
  await administer(`CREATE DATABASE ${name}`)
  const db = await openDatabase({ url: urlOf(name) })
  await db.destroy()
  process.env[TEMPLATE] = name
  return () => drop(name)
}
