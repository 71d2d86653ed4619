// A new database: in memory, or on the server of STEPWELL_TEST_DATABASE. With STEPWELL_TEST_WORKERS too, that server is
// the coordinator of a Citus cluster, and each new database is distributed over the workers: host:port,host:port.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type DatabaseLocation, openDatabase, openEngine } from '../../src/database/database.js'
import { distribute } from '../../src/database/distribution/distribute.js'

const server = process.env.STEPWELL_TEST_DATABASE
const workers = process.env.STEPWELL_TEST_WORKERS?.split(',') ?? []
/** Names the database that others are copies of; unset if they start empty. */
const TEMPLATE = 'STEPWELL_TEST_TEMPLATE'

const urlOf = (name: string, host?: string): string =>
  Object.assign(new URL(server ?? ''), { pathname: name, ...(host && { host }) }).href

const newName = (): string => `stepwell_${randomUUID().replaceAll('-', '')}`

const run = async (url: string | undefined, ...statements: string[]): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const drop = async (name: string): Promise<void> => {
  await run(server, `DROP DATABASE ${name} WITH (FORCE)`)
  for (const worker of workers)
    await run(urlOf('postgres', worker), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

/** Makes a database the coordinator of a cluster. Each worker gets one of the same name. */
const join = async (name: string): Promise<void> => {
  for (const worker of workers) {
    await run(urlOf('postgres', worker), `CREATE DATABASE ${name}`)
    await run(urlOf(name, worker), 'CREATE EXTENSION citus')
  }
  const { hostname, port } = new URL(server ?? '')
  await run(
    urlOf(name),
    'CREATE EXTENSION IF NOT EXISTS citus',
    `SELECT citus_set_coordinator_host('${hostname}', ${port || 5432})`,
    ...workers.map((worker) => `SELECT citus_add_node('${worker.replace(':', "', ")})`),
  )
}

const spread = async (name: string): Promise<void> => {
  await join(name)
  const engine = await openEngine({ url: urlOf(name) })
  const db = engine.connect(0)
  await distribute(db)
  await db.destroy()
  await engine.close()
}

/** Creates a database on a cluster whose tables are not distributed. */
export const newCluster = async (): Promise<{ url: string; drop: () => Promise<void> }> => {
  const name = newName()
  await run(server, `CREATE DATABASE ${name} TEMPLATE ${process.env[TEMPLATE] ?? 'template1'}`)
  await join(name)
  return { url: urlOf(name), drop: () => drop(name) }
}

export const newDatabase = async (): Promise<{
  location: DatabaseLocation
  drop: () => Promise<void>
}> => {
  if (!server) return { location: { folder: undefined }, drop: async () => undefined }
  const name = newName()
  await run(server, `CREATE DATABASE ${name} TEMPLATE ${process.env[TEMPLATE] ?? 'template1'}`)
  if (process.env[TEMPLATE] && workers.length > 0) await spread(name)
  return {
    location: { url: urlOf(name), statementTimeoutMs: 60_000, report: () => undefined },
    drop: () => drop(name),
  }
}

/** Creates the database that those of a test run are copies of. Returns a function that drops it. */
export const makeTemplateDatabase = async (): Promise<() => Promise<void>> => {
  if (!server) return async () => undefined
  const name = newName()
  await run(server, `CREATE DATABASE ${name}`)
  const db = await openDatabase({ url: urlOf(name) })
  await db.destroy()
  process.env[TEMPLATE] = name
  return () => run(server, `DROP DATABASE ${name} WITH (FORCE)`)
}
