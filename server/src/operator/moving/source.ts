import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFolder } from '../../data-folder.js'
import { type Database, demandUpToDate, openEngine } from '../../database/database.js'
import type { BucketLocation } from '../../files/bucket-location.js'
import type { FileStore } from '../../files/store.js'
import { findAdminEndpoint } from '../admin-endpoint.js'
import { demandOwner } from '../folder-user.js'
import { callRunningService } from '../operate.js'
import { whenInterrupted } from './interrupted.js'
import { demandData, storeOf } from './options.js'

/** A folder that nobody writes into while it is read. */
interface StillFolder {
  folder: string
  /** True for a copy by the service, which has noted it in the audit log. */
  isCopy: boolean
  release: () => Promise<void>
}

/** Returns a copy of the data folder of a running service, or else the folder itself, locked. */
export const holdStill = async (
  dataFolder: string,
  purpose: 'backup' | 'export',
  project?: string,
): Promise<StillFolder> => {
  const endpoint = await findAdminEndpoint(dataFolder)
  const answer =
    endpoint &&
    (await callRunningService(endpoint.url, endpoint.token, {
      noun: 'snapshot',
      verb: 'create',
      options: { purpose, ...(project === undefined ? {} : { project }) },
    }))
  const folder = answer?.rows[0]?.folder
  if (folder !== undefined) return { folder, isCopy: true, release: removing(folder) }
  await demandOwner(dataFolder)
  demandData(dataFolder)
  return { folder: dataFolder, isCopy: false, release: await lockFolder(dataFolder) }
}

/** Removes a copy at the end, also when the command is interrupted. */
const removing = (folder: string): (() => Promise<void>) => {
  const remove = () => rm(folder, { recursive: true, force: true })
  const takeBack = whenInterrupted(remove)
  return async () => {
    await remove()
    takeBack()
  }
}

export interface Source {
  db: Database
  /** True when the service has noted the export in its audit log. */
  isNoted: boolean
  store: FileStore
  close: () => Promise<void>
}

/** Opens the data of a service to export a project, and changes nothing there. */
export const openSource = async (
  {
    dataFolder,
    databaseUrl,
    bucket,
  }: {
    dataFolder: string
    databaseUrl: string | undefined
    bucket: BucketLocation | undefined
  },
  project: string | undefined,
): Promise<Source> => {
  const still =
    databaseUrl === undefined ? await holdStill(dataFolder, 'export', project) : undefined
  const release = async () => still?.release()
  try {
    const engine = await openEngine(
      still === undefined
        ? { url: databaseUrl as string }
        : { folder: join(still.folder, 'database'), isFrugal: true },
    )
    const db = engine.connect(0)
    const close = async () => {
      await db.destroy()
      await engine.close()
      await release()
    }
    try {
      await demandUpToDate(db)
    } catch (error) {
      await db.destroy()
      await engine.close()
      throw error
    }
    return {
      db,
      isNoted: still?.isCopy === true,
      store: storeOf(bucket, still?.folder ?? dataFolder),
      close,
    }
  } catch (error) {
    await release()
    throw error
  }
}
