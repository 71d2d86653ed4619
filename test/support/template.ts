// A database that is up to date, for those of tests to begin as: creating one and bringing it up to date takes seconds.
import { existsSync } from 'node:fs'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const root = join(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/stepwell')
/** Where the templates of this run are, in the environment of its processes. */
const FOLDER = 'STEPWELL_TEST_TEMPLATES'
const KEPT_MS = 3_600_000

/** The archive that a database in memory begins as. */
export const templateArchive = (): string => join(process.env[FOLDER] ?? '', 'database.tar')

/** Returns the archive as the service's engine takes it. */
export const readTemplate = async (): Promise<ArrayBuffer> => {
  const { buffer, byteOffset, byteLength } = await readFile(templateArchive())
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

/** Makes the database of a data folder that has none. */
export const copyTemplate = async (dataFolder: string): Promise<void> => {
  const database = join(dataFolder, 'database')
  if (existsSync(database)) return
  await mkdir(dataFolder, { recursive: true, mode: 0o700 })
  await cp(join(process.env[FOLDER] ?? '', 'database'), database, { recursive: true })
  await chmod(database, 0o700)
}

/** Makes archive and folder, unless there are those of the service that was built last. */
export const ensureTemplate = async (): Promise<void> => {
  const { mtimeMs } = await stat(join(root, 'server/dist/built'))
  const place = join(cache, `templates-${Math.trunc(mtimeMs)}`)
  process.env[FOLDER] = place
  if (existsSync(place)) return
  const { openDatabase } = await import('../../server/src/database/database.js')
  await mkdir(cache, { recursive: true })
  const made = await mkdtemp(join(cache, 'new-'))
  try {
    const database = join(made, 'database')
    const db = await openDatabase({ folder: database })
    await db.destroy()
    const engine = await PGlite.create(database)
    const archive = await engine.dumpDataDir('none')
    await engine.close()
    await writeFile(join(made, 'database.tar'), Buffer.from(await archive.arrayBuffer()))
    // Whole or not at all. Another run of the tests may have been faster: then theirs are as good.
    await rename(made, place).catch((error) => {
      if (!existsSync(place)) throw error
    })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
  await removeFormer(place)
}

/** Removes templates that no run can still need. */
const removeFormer = async (current: string): Promise<void> => {
  for (const name of await readdir(cache)) {
    const path = join(cache, name)
    const age = Date.now() - (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs
    if (path !== current && age > KEPT_MS) await rm(path, { recursive: true, force: true })
  }
}
