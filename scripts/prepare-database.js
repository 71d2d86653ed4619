// Writes the database that new services start as: empty, with all tables. `node scripts/prepare-database.js FOLDER`;
// the service must have been built.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { sql } from 'kysely'
import { openDatabase } from '../server/dist/src/database/database.js'
import { createDatabase } from '../server/dist/src/database/engine/engine-thread.js'

// A sixtieth smaller at twice the level, for five times as long.
const LEVEL = 5
const WINDOW = 24
const BLOCK_BYTES = 512
const [target] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'stepwell-prepare-'))
try {
  const database = join(folder, 'database')
  // Not a copy of an earlier build's database: its tables may differ.
  await createDatabase(database, undefined)
  // The engine is closed, so that no copy of its files has to recover as after a crash.
  const db = await openDatabase({ folder: database })
  // Nobody creates another database from these, and each is half as large as all of ours.
  await sql`UPDATE pg_database SET datistemplate = false WHERE datname LIKE 'template%'`.execute(db)
  for (const name of ['template0', 'template1'])
    await sql`DROP DATABASE ${sql.id(name)}`.execute(db)
  await db.destroy()
  const archive = Buffer.concat(await blocksOf(database, ''))
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

/** Archives a folder in the tar format, folders before their files. */
async function blocksOf(root, place) {
  const blocks = []
  for (const entry of (await readdir(join(root, place))).sort()) {
    const name = place === '' ? entry : `${place}/${entry}`
    const path = join(root, name)
    if ((await stat(path)).isDirectory())
      blocks.push(headerOf(name, 0, '5'), ...(await blocksOf(root, name)))
    else {
      const content = await readFile(path)
      const rest = -content.length & (BLOCK_BYTES - 1)
      blocks.push(headerOf(name, content.length, '0'), content, Buffer.alloc(rest))
    }
  }
  return place === '' ? [...blocks, Buffer.alloc(2 * BLOCK_BYTES)] : blocks
}

function headerOf(name, size, type) {
  const header = Buffer.alloc(BLOCK_BYTES)
  const octal = (number, digits) => number.toString(8).padStart(digits, '0')
  header.write(name, 0)
  header.write(octal(type === '5' ? 0o700 : 0o600, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(0, 11), 136)
  // The sum is that of a header with blanks in its place.
  header.write(' '.repeat(8), 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return header
}
