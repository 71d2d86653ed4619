import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { makeFolder } from '../../kernel/folders.js'
import { readTar } from '../../kernel/tar/stream-reader.js'
import { readPlaces, SettingsError } from '../../settings.js'
import { leaveNote } from '../../unnoted.js'
import { fail } from '../failure.js'
import { demandOnly, readMovingOptions } from './options.js'
import { unwritten } from './unwritten.js'

const HELP = `Usage: stepwell restore FILE [--data FOLDER]

Makes a data folder from a backup of stepwell backup. Then start the same version of the service with it, or a newer one.

  --data FOLDER   the new folder; there must be nothing in it. Default: ./.stepwell
  --config FILE   the same as of stepwell serve
`
/** Entries of a backup: no name of another one leads anywhere else. */
const ENTRY = /^(api-key|(database|files)(\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*\/?)$/

/** The folder that a backup is unpacked into: beside the new folder, or within one that is there. */
const PARTIAL = '.restoring'
/** Names in a folder that has no data: a restore that was killed, and what a new disk has. */
const NOTHING = new Set([PARTIAL, 'lost+found'])

/** Runs `stepwell restore`. Returns the exit code. */
export const restoreCommand = async (args: readonly string[]): Promise<number> => {
  try {
    const { values, positionals } = readMovingOptions(args)
    if (values.help) {
      process.stdout.write(HELP)
      return 0
    }
    demandOnly(values, ['config', 'data'])
    const [file, ...others] = positionals
    if (file === undefined || others.length > 0)
      throw new SettingsError(`expected one FILE, got ${positionals.length}`)
    const folder = resolve(readPlaces(values, process.env).dataFolder)
    await fill(folder, (partial) => unpack(file, partial))
    process.stdout.write(`Restored to ${folder}; stepwell serve --data ${folder} starts it\n`)
    return 0
  } catch (error) {
    return fail(error, 'restore')
  }
}

/**
 * Fills a new or empty folder, all or nothing. One that is there stays, for a disk may be mounted on it: it is filled from
 * a folder within, on the same disk.
 */
const fill = async (folder: string, unpackInto: (partial: string) => Promise<void>) => {
  const there = await readdir(folder).catch(() => undefined)
  if (there?.some((name) => !NOTHING.has(name)))
    throw new Error(`there is something in ${folder}; name a new folder with --data`)
  const partial = there === undefined ? `${folder}${PARTIAL}` : join(folder, PARTIAL)
  try {
    await rm(partial, { recursive: true, force: true })
    await makeFolder(dirname(folder))
    await mkdir(partial, { mode: 0o700 })
    await unpackInto(partial)
    await leaveNote(partial, 'RESTORE')
    if (there === undefined) return await rename(partial, folder)
    // The database is last, so that no service starts with a part of the rest.
    for (const name of (await readdir(partial)).sort((a, b) => rank(a) - rank(b)))
      await rename(join(partial, name), join(folder, name))
    await rmdir(partial)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw unwritten(folder, partial, error)
  }
}

const rank = (name: string): number => (name === 'database' ? 1 : 0)

const unpack = async (file: string, folder: string): Promise<void> => {
  let hasDatabase = false
  // Both wait for what they began, which a pipeline into a file does not: no file is made after a failure.
  await pipeline(createReadStream(file), createGunzip(), (unzipped) =>
    readTar(unzipped, async ({ name, isFolder }, content) => {
      if (!ENTRY.test(name)) throw new Error(`${file} is no backup of Stepwell: it has ${name}`)
      hasDatabase ||= name === 'database/PG_VERSION'
      const path = join(folder, name)
      if (isFolder) await mkdir(path, { mode: 0o700, recursive: true })
      else await writeFile(path, content, { mode: 0o600 })
    }),
  ).catch((error: NodeJS.ErrnoException) => {
    throw error.code?.startsWith('Z_') === true
      ? new Error(`${file} is no whole backup: ${error.message}`)
      : error
  })
  if (!hasDatabase) throw new Error(`${file} is no backup of Stepwell: it has no database`)
}
