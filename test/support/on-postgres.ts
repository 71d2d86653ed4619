// The server's package, with each service that has no folder on a database of its own on a PostgreSQL server, so that
// the same tests run there: STEPWELL_TEST_DATABASE=postgres://… npm test
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import {
  createService as create,
  type Service,
  type ServiceOptions,
} from '../../server/src/index.js'

export * from '../../server/src/index.js'

const server = process.env.STEPWELL_TEST_DATABASE ?? ''

const administer = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

export const createService = async (options: ServiceOptions = {}): Promise<Service> => {
  if (options.dataFolder !== undefined || options.databaseUrl !== undefined) return create(options)
  const name = `stepwell_${randomUUID().replaceAll('-', '')}`
  await administer(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  const service = await create({ ...options, databaseUrl: url.href })
  return {
    ...service,
    close: async () => {
      await service.close()
      await administer(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}
