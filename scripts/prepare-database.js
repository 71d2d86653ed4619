// Writes the database that new services start as: empty, with all tables. `node scripts/prepare-database.js FOLDER`;
// the service must have been built.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { openDatabase } from '../server/dist/src/database/database.js'
import { createDatabase } from '../server/dist/src/database/engine/engine-thread.js'

// A sixtieth smaller at twice the level, for five times as long.
const LEVEL = 5
const WINDOW = 24
const [target] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'stepwell-prepare-'))
try {
  const database = join(folder, 'database')
  // Not a copy of an earlier build's database: its tables may differ.
  await createDatabase(database, undefined)
  const db = await openDatabase({ folder: database })
  await db.destroy()
  const engine = await PGlite.create(database)
  await engine.exec('CHECKPOINT')
  const archive = Buffer.from(await (await engine.dumpDataDir('none')).arrayBuffer())
  await engine.close()
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: LEVEL,
    [constants.BROTLI_PARAM_LGWIN]: WINDOW,
    [constants.BROTLI_PARAM_SIZE_HINT]: archive.length,
  }
  await mkdir(target, { recursive: true })
  await writeFile(join(target, 'database.tar.br'), brotliCompressSync(archive, { params }))
} finally {
  await rm(folder, { recursive: true, force: true })
}
