import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../../data-folder.js'
import { migrated, openEngine } from '../../database/database.js'
import { broken, brokenBy, type Finding, messageOf, ok } from './check.js'
import { migrationState } from './migrations.js'

const TIMEOUT_MS = 20_000

/** Opens the embedded database of a service that does not run, and reads how far it was brought up to date. */
export const embeddedDatabase = async (
  folder: string,
  { isRunning, isReadOnly }: { isRunning: boolean; isReadOnly: boolean },
): Promise<Finding> => {
  if (isRunning) return ok('the running service has the embedded database open')
  const database = join(folder, 'database')
  if (!existsSync(database))
    return ok('there is no embedded database yet; the first start makes it')
  if (isReadOnly)
    return { state: 'skipped', text: 'skipped, as --read-only does not open the embedded database' }
  let unlock: () => Promise<void>
  try {
    unlock = await lockFolder(folder)
  } catch (error) {
    return brokenBy(error)
  }
  try {
    const engine = await openEngine({ folder: database, isFrugal: true })
    try {
      const db = engine.connect(TIMEOUT_MS)
      const names = await migrated(db).finally(() => db.destroy())
      return migrationState(names, 'the embedded database opens')
    } finally {
      await engine.close()
    }
  } catch (error) {
    return broken(
      `the embedded database does not open: ${messageOf(error)}`,
      `make a folder of the last backup, and start the service with it: stepwell restore FILE --data ${folder}-restored`,
    )
  } finally {
    await unlock()
  }
}
