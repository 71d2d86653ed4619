import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/database.js'
import { unpackDatabase } from '../../src/database/engine/archive.js'
import { createDatabase } from '../../src/database/engine/engine-thread.js'
import { preparedDatabase } from '../../src/database/engine/prepared.js'

// The build creates the database that new services start as.
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-prepared-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Returns everything that distinguishes empty databases: columns, indexes, migrations, settings of its files. */
const describeDatabase = async (database: string | undefined) => {
  const db = await openDatabase({ folder: database })
  const ask = async (query: string) => (await sql.raw(query).execute(db)).rows
  const found = {
    columns: await ask(`SELECT table_name, column_name, data_type, is_nullable, column_default
      FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2`),
    indexes: await ask(`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`),
    options: await ask(`SELECT relname, reloptions FROM pg_class
      WHERE relnamespace = 'public'::regnamespace ORDER BY 1`),
    storage:
      await ask(`SELECT attrelid::regclass::text, attname, attstorage, attcompression FROM pg_attribute
      WHERE attnum > 0 AND attrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
      ORDER BY 1, 2`),
    functions: await ask(`SELECT proname, prosrc FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace ORDER BY 1`),
    migrations: await ask('SELECT name FROM kysely_migration ORDER BY 1'),
    settings: await ask(`SELECT name, setting FROM pg_settings
      WHERE name IN ('wal_segment_size', 'server_encoding', 'lc_collate', 'data_checksums') ORDER BY 1`),
  }
  await db.destroy()
  return found
}

test('it equals one that would be created', async () => {
  const created = join(folder, 'created')
  await createDatabase(created, undefined)
  const expected = await describeDatabase(created)
  expect(expected.columns.length).toBeGreaterThan(100)
  expect(await preparedDatabase()).toBeDefined()
  expect(await describeDatabase(join(folder, 'prepared'))).toEqual(expected)
  expect(await describeDatabase(undefined)).toEqual(expected)
})

test('its files are readable by their owner only, and no process seems to use them', async () => {
  const database = join(folder, 'prepared')
  const names = await readdir(database, { recursive: true })
  expect(names).toContain('PG_VERSION')
  const modes = await Promise.all(
    names.map(async (name) => (await stat(join(database, name))).mode & 0o077),
  )
  expect(new Set(modes)).toEqual(new Set([0]))
})

test('it was closed before it was archived, so that no start recovers it as after a crash', async () => {
  const archive = await preparedDatabase()
  if (archive === undefined) throw new Error('expected a prepared database')
  const unpacked = join(folder, 'unpacked')
  await unpackDatabase(archive, unpacked)
  const STATE_AT = 16
  const SHUT_DOWN = 1
  const control = await readFile(join(unpacked, 'global/pg_control'))
  expect(control.readUInt32LE(STATE_AT)).toBe(SHUT_DOWN)
})
