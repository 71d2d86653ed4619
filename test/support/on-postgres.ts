// The server's package, in which each service without a folder gets a new database on a PostgreSQL server, so that the
// same tests run there: STEPWELL_TEST_DATABASE=postgres://… npm test

import {
  createService as create,
  type Service,
  type ServiceOptions,
} from '../../server/src/index.js'
import { newDatabase } from '../../server/test/support/new-database.js'

export * from '../../server/src/index.js'

export const createService = async (options: ServiceOptions = {}): Promise<Service> => {
  if (options.dataFolder !== undefined || options.databaseUrl !== undefined) return create(options)
  const { location, drop } = await newDatabase()
  const databaseUrl = 'url' in location ? location.url : undefined
  const service = await create({ ...options, databaseUrl })
  return {
    ...service,
    close: async () => {
      await service.close()
      await drop()
    },
  }
}
