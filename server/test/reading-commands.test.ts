import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type DatabaseLocation, openEngine } from '../src/database/database.js'
import { createService } from '../src/index.js'
import { demandOwner } from '../src/operator/folder-user.js'
import { isReading, performReading } from '../src/operator/reading.js'
import { newDatabase } from './support/new-database.js'

let dataFolder: string
let location: DatabaseLocation
let drop: () => Promise<void>
beforeAll(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'stepwell-reading-'))
  const database = await newDatabase()
  drop = database.drop
  const databaseUrl = 'url' in database.location ? database.location.url : undefined
  location =
    databaseUrl === undefined ? { folder: join(dataFolder, 'database') } : { url: databaseUrl }
  const service = await createService({ apiKey: 'k', dataFolder, databaseUrl })
  await service.createProject('shop')
  await service.close()
})
afterAll(async () => {
  await drop?.()
  await rm(dataFolder, { recursive: true, force: true })
})

const run = async (statement: string): Promise<unknown[]> => {
  const engine = await openEngine(location)
  const db = engine.connect(10_000)
  try {
    return (await sql.raw(statement).execute(db)).rows
  } finally {
    await db.destroy()
    await engine.close()
  }
}

const list = (noun: string, options = {}) =>
  performReading(location, { noun, verb: 'list', options })

test('lists of projects and keys bring no database up to date', async () => {
  const last = '(SELECT max(name) FROM kysely_migration)'
  await run(`DELETE FROM kysely_migration WHERE name = ${last}`)
  const before = await run('SELECT name FROM kysely_migration ORDER BY name')
  expect((await list('project')).rows.map(({ name }) => name)).toEqual(['default', 'shop'])
  expect((await list('key', { project: 'shop' })).rows).toHaveLength(1)
  expect(await run('SELECT name FROM kysely_migration ORDER BY name')).toEqual(before)
})

test('a command that would change something cannot run so', async () => {
  expect(isReading({ verb: 'list' })).toBe(true)
  for (const verb of ['create', 'delete', 'revoke']) expect(isReading({ verb })).toBe(false)
  await expect(
    performReading(location, {
      noun: 'key',
      verb: 'create',
      subject: 'new',
      options: { project: 'shop' },
    }),
  ).rejects.toThrow(/read-only transaction/)
  await expect(
    performReading(location, { noun: 'project', verb: 'delete', subject: 'shop', options: {} }),
  ).rejects.toThrow(/read-only transaction/)
  expect((await list('project')).rows).toHaveLength(2)
})

test('a database without a column of today is named as an older one', async () => {
  await run('ALTER TABLE api_keys RENAME COLUMN scopes TO earlier')
  await expect(list('key', { project: 'shop' })).rejects.toThrow(
    'the database is of an older version of Stepwell; start this version of the service on it first',
  )
  await run('ALTER TABLE api_keys RENAME COLUMN earlier TO scopes')
})

test('another user than the owner of the folder is told as whom to run the command', async () => {
  await demandOwner(dataFolder)
  await demandOwner(join(dataFolder, 'none'))
  const own = process.getuid?.() ?? 0
  const user = vi.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(own + 1)
  try {
    await expect(demandOwner(dataFolder)).rejects.toThrow(
      `belongs to the user ${own}, and this is the user ${own + 1}; run the command as its owner: sudo -u '#${own}' stepwell`,
    )
    await demandOwner(join(dataFolder, 'none'))
  } finally {
    user.mockRestore()
  }
})
