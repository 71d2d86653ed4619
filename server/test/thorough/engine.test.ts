import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { StepwellClient } from '../../../src/index.js'
import { eventually } from '../../../test/support/eventually.js'
import { type Database, type OpenEngine, openEngine } from '../../src/database/database.js'
import { EngineThread } from '../../src/database/engine/engine-thread.js'
import { shareMemory } from '../../src/database/engine/files.js'
import { withTimeLimit } from '../../src/database/task.js'
import { Upkeep } from '../../src/database/upkeep.js'
import { createService } from '../../src/index.js'

// The embedded engine itself: its thread, its time limits, its end, and its files.
let folder: string
let engine: OpenEngine
let db: Database
const faults: unknown[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-engine-'))
  engine = await openEngine({
    folder: join(folder, 'database'),
    report: (error) => faults.push(error),
  })
  db = engine.connect(0)
})
afterAll(async () => {
  await db.destroy()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

const ENDLESS = sql`SELECT count(*) FROM generate_series(1, 1000000000000)`
const one = async () => (await sql<{ one: number }>`SELECT 1 AS one`.execute(db)).rows

test('a statement past its time limit ends, the process answers during it, and the next statement is unaffected', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 10)
  await expect(withTimeLimit(500, () => ENDLESS.execute(db))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('longer than its limit'),
  })
  clearInterval(timer)
  expect(turns).toBeGreaterThan(5)
  expect(await one()).toEqual([{ one: 1 }])
})

test('a time limit that expires just after the end of its statement does not end the next one', async () => {
  for (let index = 0; index < 50; index++) {
    await withTimeLimit(1, () => sql`SELECT pg_sleep(0.001)`.execute(db)).catch(() => undefined)
    expect(await one()).toEqual([{ one: 1 }])
  }
})

test('a transaction past its time limit is rolled back, and the next in line gets its turn', async () => {
  await sql`CREATE TABLE turns (id int)`.execute(db)
  const late = withTimeLimit(300, () =>
    db.transaction().execute(async (transaction) => {
      await sql`INSERT INTO turns VALUES (1)`.execute(transaction)
      await ENDLESS.execute(transaction)
    }),
  )
  const next = sql`INSERT INTO turns VALUES (2)`.execute(db)
  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await next
  expect((await sql`SELECT id FROM turns`.execute(db)).rows).toEqual([{ id: 2 }])
})

test('a wait for a turn ends with its time limit', async () => {
  const holder = withTimeLimit(2000, () => ENDLESS.execute(db)).catch((error) => error)
  let isHeld = true
  void holder.then(() => {
    isHeld = false
  })
  await expect(withTimeLimit(100, () => one())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(isHeld).toBe(true)
  await holder
  expect(await one()).toEqual([{ one: 1 }])
})

test('an engine that is ended in the middle of a statement restarts with all stored data', async () => {
  await sql`CREATE TABLE kept AS SELECT n FROM generate_series(1, 1000) n`.execute(db)
  let thread: EngineThread | undefined
  const run = vi.spyOn(EngineThread.prototype, 'run').mockImplementationOnce(function (
    this: EngineThread,
    ...parameters
  ) {
    thread = this
    return EngineThread.prototype.run.apply(this, parameters)
  })
  const running = ENDLESS.execute(db)
  await eventually(() => expect(thread).toBeDefined())
  run.mockRestore()
  thread?.kill(Object.assign(new Error('ended'), { code: '57P02' }))
  await expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect((await sql`SELECT count(*) AS kept FROM kept`.execute(db)).rows).toEqual([{ kept: 1000 }])
})

test('files of the database are readable by their owner only', async () => {
  const open: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (((await stat(path)).mode & 0o077) !== 0) open.push(path)
  }
  expect(open).toEqual([])
})

test('case is ignored in every script', async () => {
  const service = await createService()
  const { apiKey } = await service.createProject('scripts')
  const { api } = new StepwellClient({ apiKey, fetch: service.fetch })
  await api.sendSteps([{ id: 's', name: 'ÄRGER с Ёлкой ΩΣΑ' }])
  for (const value of ['ärger', 'ёЛКОЙ', 'ωσα'])
    expect(
      (await api.getSteps({ filters: [{ field: 'name', operator: 'ilike', value }] })).data,
      value,
    ).toHaveLength(1)
  await service.close()
})

const sizeOfFolder = async (path: string): Promise<number> => {
  let bytes = 0
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true }))
    bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size
  return bytes
}

test('what is rewritten again and again stays within three times its size, and is given back when it is deleted', async () => {
  const path = join(folder, 'database')
  const upkeep = new Upkeep(db)
  const settle = async () => {
    while (await upkeep.work());
  }
  await sql`CREATE TABLE rewritten (id int PRIMARY KEY, name text, value text)`.execute(db)
  await sql`CREATE INDEX rewritten_name ON rewritten (name)`.execute(db)
  const rewrite = (round: number) =>
    sql`INSERT INTO rewritten SELECT n, 'name ' || ${round}::int || n,
        (SELECT string_agg(md5((n * ${round}::int + m)::text), '') FROM generate_series(1, 60) m) FROM generate_series(1, 5000) n
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, value = excluded.value`.execute(db)
  const empty = await sizeOfFolder(path)
  await rewrite(1)
  await settle()
  const once = await sizeOfFolder(path)
  let most = once
  for (let round = 2; round <= 25; round++) {
    await rewrite(round)
    await settle()
    most = Math.max(most, await sizeOfFolder(path))
  }
  expect(most / once).toBeLessThan(3)
  await sql`DELETE FROM rewritten`.execute(db)
  await eventually(async () => {
    await settle()
    const { rows } = await sql<{ bytes: number }>`
        SELECT pg_total_relation_size('rewritten')::float8 AS bytes`.execute(db)
    expect(rows[0]?.bytes).toBeLessThan(5_000_000)
  })
  expect(empty).toBeLessThan(once)
})

test('full indexes are left alone, and full tables, when the counters of the engine were lost, as at a crash', async () => {
  await sql`CREATE TABLE counted (id text PRIMARY KEY, value int)`.execute(db)
  await sql`INSERT INTO counted SELECT md5(n::text), n FROM generate_series(1, 60000) n`.execute(db)
  await sql`ANALYZE counted`.execute(db)
  // Counts that are pending would be added after the reset.
  await sql`SELECT pg_stat_force_next_flush()`.execute(db)
  await sql`SELECT pg_stat_reset()`.execute(db)
  await sql`UPDATE counted SET value = 0 WHERE value <= 3000`.execute(db)
  const filesAndVacuums = async () => {
    await sql`SELECT pg_stat_force_next_flush()`.execute(db)
    const { rows } = await sql<{ bytes: number; file: string; vacuums: number }>`
      SELECT pg_relation_size('counted_pkey')::float8 AS bytes, pg_relation_filenode('counted_pkey')::text AS file,
        vacuum_count::integer AS vacuums FROM pg_stat_user_tables WHERE relname = 'counted'`.execute(
      db,
    )
    return rows
  }
  const before = await filesAndVacuums()
  expect(before).toMatchObject([{ vacuums: 0 }])
  expect(before[0]?.bytes).toBeGreaterThan(2_500_000)
  const upkeep = new Upkeep(db)
  while (await upkeep.work());
  expect(await filesAndVacuums()).toEqual(before)
})

test('a service gives back by itself what was overwritten and deleted', async () => {
  const data = join(folder, 'service')
  const service = await createService({ dataFolder: data, apiKey: 'k' })
  const { api } = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
  /** Tables and indexes, without the write-ahead log. */
  const sizeOf = () => sizeOfFolder(join(data, 'database/base'))
  const ids = Array.from({ length: 500 }, (_, index) => `step-${index}`)
  const write = async (round: number) => {
    const text = Array.from({ length: 300 }, () => Math.random().toString(36)).join('')
    const steps = ids.map((id) => ({ id, threadId: 't', output: { content: `${round}${text}` } }))
    expect((await api.sendSteps(steps)).data.ingestSteps.ok).toBe(true)
  }
  const empty = await sizeOf()
  await write(0)
  const once = (await sizeOf()) - empty
  expect(once).toBeGreaterThan(1_000_000)
  for (let round = 1; round <= 8; round++) await write(round)
  await api.deleteThread('t')
  await eventually(async () => expect((await sizeOf()) - empty).toBeLessThan(once))
  await service.close()
})

test('the memory of the engine as it is installed can be shared', async () => {
  const program = await readFile(new URL(import.meta.resolve('@electric-sql/pglite/pglite.wasm')))
  expect(shareMemory(program)).toBe(true)
  expect(shareMemory(program)).toBe(false)
  expect(shareMemory(new Uint8Array(8))).toBe(false)
})
