import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase, openEngine } from '../../src/database/database.js'
import { exportProject } from '../../src/domain/moving/export-project.js'
import { TarWriter } from '../../src/kernel/tar/writer.js'
import { insertHostileRows } from '../support/hostile-rows.js'
import { newDatabase } from '../support/new-database.js'

// The commands of the page about backups, as they are there, on the server of STEPWELL_TEST_DATABASE. Not on a
// cluster: the rows are on its workers.
const page = join(import.meta.dirname, '../../../docs/operate/backup-and-upgrade.md')
const isPossible =
  Boolean(process.env.STEPWELL_TEST_DATABASE) &&
  !process.env.STEPWELL_TEST_WORKERS &&
  spawnSync('pg_dump', ['--version']).status === 0
const PROJECT = { id: 'p', name: 'shop' }
let folder: string
const ends: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-dump-'))
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
  await rm(folder, { recursive: true, force: true })
})

const commandOf = async (beginning: string): Promise<string> =>
  (await readFile(page, 'utf8')).split('\n').find((line) => line.startsWith(beginning)) ?? ''

const run = (command: string, url: string) => {
  const { status, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, DATABASE_URL: url },
  })
  expect({ command, status, stderr }).toMatchObject({ status: 0 })
}

const hashOf = (db: Database): Promise<string> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const store = { open: async () => undefined, put: async () => undefined }
      const out = createWriteStream('/dev/null')
      return (await exportProject(transaction, store, PROJECT, new TarWriter(out))).hash
    })

test.skipIf(!isPossible)(
  'the dump of a server, restored into an empty database, has the same rows',
  async () => {
    const [source, target] = [await newDatabase(), await newDatabase()]
    ends.push(source.drop, target.drop)
    if (!('url' in source.location && 'url' in target.location)) throw new Error('expected servers')
    const db = await openDatabase(source.location)
    ends.push(() => db.destroy())
    await sql`INSERT INTO projects (id, name, created_at) VALUES ('p', 'shop', now())`.execute(db)
    await insertHostileRows(db, PROJECT.id)
    run(await commandOf('pg_dump'), source.location.url)
    // A database from createdb is empty; those of tests have the tables already.
    const engine = await openEngine(target.location)
    ends.push(() => engine.close())
    const restored = engine.connect(0)
    ends.push(() => restored.destroy())
    await sql`DROP SCHEMA public CASCADE`.execute(restored)
    await sql`CREATE SCHEMA public`.execute(restored)
    run(await commandOf('pg_restore'), target.location.url)
    expect(await hashOf(restored)).toBe(await hashOf(db))
  },
)
