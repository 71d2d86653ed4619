// A database that is up to date, for those of tests to begin as: creating one and bringing it up to date takes seconds.
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'

const root = join(import.meta.dirname, '../..')
const PATH = join(root, 'node_modules/.cache/stepwell/database.tar')

/** Returns the archive as the service's engine takes it. */
export const readTemplate = async (): Promise<ArrayBuffer> => {
  const { buffer, byteOffset, byteLength } = await readFile(PATH)
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
}

/** Writes the archive, unless there is one of the service that was built last. */
export const ensureTemplate = async (): Promise<void> => {
  if ((await modified(PATH)) > (await modified(join(root, 'server/dist/built')))) return
  const { openDatabase } = await import('../../server/src/database/database.js')
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-template-'))
  try {
    const database = join(folder, 'database')
    const db = await openDatabase({ folder: database })
    await db.destroy()
    const engine = await PGlite.create(database)
    const archive = await engine.dumpDataDir('none')
    await engine.close()
    await mkdir(dirname(PATH), { recursive: true })
    await writeFile(`${PATH}.new`, Buffer.from(await archive.arrayBuffer()))
    // Whole or not at all: another run of the tests may read it.
    await rename(`${PATH}.new`, PATH)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const modified = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
