import { join } from 'node:path'
import { lockFolder } from '../../data-folder.js'
import { type Database, openDatabase } from '../../database/database.js'
import { Upkeep } from '../../database/upkeep.js'
import type { BucketLocation } from '../../files/bucket-location.js'
import { shown } from '../../kernel/shown.js'

/** Where a service has its data. */
export interface DataLocation {
  /** Undefined for the embedded database. */
  databaseUrl: string | undefined
  dataFolder: string
  bucket: BucketLocation | undefined
}

/** A database that a command works on itself. */
export interface OpenedData {
  db: Database
  /** Keeps the log of an embedded database short: nobody else does. Undefined for a server's. */
  upkeep: Upkeep | undefined
  /** Closes the database, and leaves its folder to other processes. */
  close: () => Promise<void>
}

/** Opens a server's database, or the embedded one of a folder that no other process uses meanwhile. */
export const openData = async ({
  databaseUrl,
  dataFolder,
}: Pick<DataLocation, 'databaseUrl' | 'dataFolder'>): Promise<OpenedData> => {
  const report = (error: unknown) => console.error('stepwell:', shown(error))
  if (databaseUrl !== undefined) {
    // Somebody waits for the answer, who may have misspelt the address.
    const db = await openDatabase({ url: databaseUrl, startingMs: 0, report })
    return { db, upkeep: undefined, close: () => db.destroy() }
  }
  const unlock = await lockFolder(dataFolder)
  try {
    const db = await openDatabase({ folder: join(dataFolder, 'database'), isFrugal: true, report })
    const close = async () => {
      await db.destroy()
      await unlock()
    }
    return { db, upkeep: new Upkeep(db), close }
  } catch (error) {
    await unlock()
    throw error
  }
}
