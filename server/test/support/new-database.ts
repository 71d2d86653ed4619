// A database of its own: in memory, or on the server of STEPWELL_TEST_DATABASE.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { DatabaseLocation } from '../../src/storage/database.js'

const server = process.env.STEPWELL_TEST_DATABASE

export const newDatabase = async (): Promise<{
  location: DatabaseLocation
  drop: () => Promise<void>
}> => {
  if (!server) return { location: { folder: undefined }, drop: async () => undefined }
  const administer = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  const name = `stepwell_${randomUUID().replaceAll('-', '')}`
  await administer(`CREATE DATABASE ${name}`)
  const url = Object.assign(new URL(server), { pathname: name }).href
  return {
    location: { url, statementTimeoutMs: 60_000, report: () => undefined },
    drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}
