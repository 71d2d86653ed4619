// A database that is up to date, for those of tests to begin as: creating one and bringing it up to date takes seconds.
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/stepwell')
/** Of a database in memory. */
export const TEMPLATE = join(cache, 'database.tar')
/** Of one in a folder. */
const FOLDER = join(cache, 'database')

/** Returns the archive as the service's engine takes it. */
export const readTemplate = async (): Promise<ArrayBuffer> => {
  const { buffer, byteOffset, byteLength } = await readFile(TEMPLATE)
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

/** Makes the database of a data folder that has none. */
export const copyTemplate = async (dataFolder: string): Promise<void> => {
  const database = join(dataFolder, 'database')
  if (existsSync(database)) return
  await cp(FOLDER, database, { recursive: true })
  await chmod(database, 0o700)
}

/** Writes archive and folder, unless there are those of the service that was built last. */
export const ensureTemplate = async (): Promise<void> => {
  if ((await modified(TEMPLATE)) > (await modified(join(root, 'server/dist/built')))) return
  const { openDatabase } = await import('../../server/src/database/database.js')
  await mkdir(cache, { recursive: true })
  // Beside what it becomes, so that it can be renamed.
  const folder = await mkdtemp(join(cache, 'new-'))
  try {
    const database = join(folder, 'database')
    const db = await openDatabase({ folder: database })
    await db.destroy()
    const engine = await PGlite.create(database)
    const archive = await engine.dumpDataDir('none')
    await engine.close()
    // Whole or not at all: another run of the tests may read it.
    const written = join(folder, 'database.tar')
    await writeFile(written, Buffer.from(await archive.arrayBuffer()))
    await rm(FOLDER, { recursive: true, force: true })
    await rename(database, FOLDER)
    await rename(written, TEMPLATE)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const modified = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
