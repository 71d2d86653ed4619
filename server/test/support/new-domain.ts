import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.js'
import { createDomain, type Domain } from '../../src/domain/domain.js'
import { createClock } from '../../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { newDatabase } from './new-database.js'

/** The rules on a new database, without a service around them. */
export interface TestDomain {
  db: Database
  domain: Domain
}

/** Creates the rules for the tests of a file. A plugin sees the statements of the domain, and not those of the tests. */
export const useDomain = (...plugins: KyselyPlugin[]): TestDomain => {
  const made = {} as TestDomain
  let drop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const database = await newDatabase()
    drop = database.drop
    made.db = await openDatabase(database.location)
    const seen = plugins.reduce((db, plugin) => db.withPlugin(plugin), made.db)
    made.domain = createDomain(seen, createClock(), DEFAULT_LIMITS, {
      writers: 2,
      commitMs: 60_000,
      mayBeHeld: 'url' in database.location,
      report: (error) => {
        throw error
      },
      wrote: () => undefined,
      places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
    })
  })
  afterAll(async () => {
    await made.db?.destroy()
    await drop?.()
  })
  return made
}
