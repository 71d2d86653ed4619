import { afterAll, beforeAll } from 'vitest'
import { createService, type Service } from '../../src/index.js'
import { type Ask, asker } from './ask.js'
import { newDatabase } from './new-database.js'

/** Creates a service on a new database for the tests of a file. Returns a function that creates a project and asks in it. */
export const useService = (): (() => Promise<Ask>) => {
  let service: Service | undefined
  let drop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const database = await newDatabase()
    drop = database.drop
    const { location } = database
    service = await createService({ databaseUrl: 'url' in location ? location.url : undefined })
  })
  afterAll(async () => {
    await service?.close()
    await drop?.()
  })
  let projects = 0
  return async () => {
    if (service === undefined) throw new Error('expected a test to ask')
    return asker(service, (await service.createProject(`project ${++projects}`)).apiKey)
  }
}
