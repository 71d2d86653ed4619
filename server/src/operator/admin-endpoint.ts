import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../kernel/folders.js'

const FILE = 'operator'

/** The address of a running service for commands by anybody who may read its data folder. */
export interface AdminEndpoint {
  url: string
  token: string
}

export const newToken = () => randomBytes(32).toString('base64url')

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/**
 * Compares digests, which have the same length for any header: characters of two bytes make a text longer than its
 * length.
 */
export const isToken = (given: string | null, token: string): boolean =>
  given !== null && timingSafeEqual(digestOf(given), digestOf(token))

/** Writes the address of the service, for operators on this machine. Returns a function that removes it. */
export const openAdminEndpoint = async (
  dataFolder: string,
  endpoint: AdminEndpoint,
): Promise<() => Promise<void>> => {
  const path = join(dataFolder, FILE)
  // With a database server, this may be the first file in the folder.
  await makeFolder(dataFolder)
  await rm(path, { force: true })
  await writeFile(path, JSON.stringify(endpoint), { mode: 0o600 })
  return () => rm(path, { force: true })
}

/** Returns the address of the service that uses a data folder; undefined when there is none. */
export const findAdminEndpoint = async (dataFolder: string): Promise<AdminEndpoint | undefined> => {
  try {
    return JSON.parse(await readFile(join(dataFolder, FILE), 'utf8')) as AdminEndpoint
  } catch {
    return undefined
  }
}
