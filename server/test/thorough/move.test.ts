import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.js'
import { Digest } from '../../src/domain/moving/digest.js'
import { Move } from '../../src/domain/moving/move.js'
import { abandonMove, demandUnmoved } from '../../src/domain/moving/unmoved.js'
import { createService } from '../../src/index.js'
import { hashesInRange } from '../../src/storage/moving/rows.js'
import { wholeTables } from '../../src/storage/moving/whole.js'
import { asker, post } from '../support/ask.js'
import { insertHostileRows } from '../support/hostile-rows.js'
import { MemoryStore, openNew } from '../support/moving.js'

// Moves from the engine of the tests to the embedded one, while rows are written.
const closes: (() => Promise<void>)[] = []
let folder: string
let source: Database
const sourceFiles = new Map<string, Buffer>()

const sourceStore = new MemoryStore(sourceFiles)
const here = () => ({ db: source, store: sourceStore, place: 'here' })
const there = (db: Database, files = new Map<string, Buffer>()) => ({
  db,
  store: new MemoryStore(files),
  place: 'there',
})

/** Reads all rows, apart from the sums that a move keeps. */
const hashOf = async (db: Database): Promise<string> => {
  const digest = new Digest()
  // The moved one has numbers of transactions of its own.
  for (const table of await wholeTables(db))
    if (table.name !== 'content_states')
      for (const { hash } of await hashesInRange(db, table, undefined, null)) digest.add(hash)
  return `${digest.rows} ${digest.text}`
}

const insertProject = (id: string, name: string) =>
  sql`INSERT INTO projects (id, name, created_at) VALUES (${id}, ${name}, now())`.execute(source)

/** Works until the switch. `write` runs between the turns. */
const workUntilReady = async (
  move: Move,
  write: () => Promise<unknown> = async () => undefined,
) => {
  for (let turns = 0; ; turns++) {
    const { phase } = await move.work(0)
    if (phase === 'ready') return turns
    await write()
  }
}

const open = async (target: ReturnType<typeof there>): Promise<Move> => {
  const move = await Move.open(here(), target)
  if (move === undefined) throw new Error('expected a move that is not complete')
  return move
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-move-'))
  source = await openNew(closes, false)
  await insertProject('p', 'shop')
  await insertHostileRows(source, 'p')
  for (let index = 0; index < 3; index++) {
    const key = `files/${index}`
    sourceFiles.set(JSON.stringify(['p', key]), Buffer.alloc(1000 * index, index))
    await sql`INSERT INTO files (project_id, object_key, mime, created_at)
      VALUES ('p', ${key}, 'text/plain', now())`.execute(source)
  }
})
afterAll(async () => {
  for (const close of closes) await close()
  await rm(folder, { recursive: true, force: true })
})

// A move is rejected on a cluster.
test.skipIf(process.env.STEPWELL_TEST_WORKERS)(
  'what is written, changed and deleted during a move is as it is there, after any number of new beginnings',
  async () => {
    const files = new Map<string, Buffer>()
    const target = there(await openNew(closes, true), files)
    let writes = 0
    const write = async () => {
      const n = writes++
      await sql`INSERT INTO threads (project_id, id, created_at) VALUES ('p', ${`new ${n}`}, now())`.execute(
        source,
      )
      await sql`UPDATE threads SET name = ${`name ${n}`} WHERE project_id = 'p' AND id = ${`new ${n >> 1}`}`.execute(
        source,
      )
      await sql`DELETE FROM threads WHERE project_id = 'p' AND id = ${`new ${n - 3}`}`.execute(
        source,
      )
      // A unique name goes from one project to another one.
      await insertProject(`q ${n}`, 'taken')
      await sql`UPDATE projects SET name = ${`was taken ${n}`} WHERE id = ${`q ${n}`}`.execute(
        source,
      )
      sourceFiles.set(JSON.stringify(['p', 'late']), Buffer.from('late'))
    }
    await sql`INSERT INTO files (project_id, object_key, mime, created_at)
    VALUES ('p', 'late', 'text/plain', now())`.execute(source)
    // Each of these processes ends after one turn.
    for (let begun = 0; begun < 2; begun++) {
      await (await open(target)).work(0)
      await write()
    }
    await expect(demandUnmoved(target.db)).rejects.toThrow('not complete')
    const move = await open(target)
    await workUntilReady(move, write)
    await write()
    let before = ''
    const moved = await move.switch(async () => {
      before = await hashOf(source)
      expect(await hashOf(target.db)).toBe(before)
      await expect(write()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    })
    expect(moved?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(await hashOf(source)).toBe(before)
    await expect(demandUnmoved(source)).rejects.toThrow('was moved to there')
    await demandUnmoved(target.db)
    expect([...files].map(([name, content]) => [name, content.toString('hex')]).sort()).toEqual(
      [...sourceFiles].map(([name, content]) => [name, content.toString('hex')]).sort(),
    )
    // Triggers and references are there again.
    await expect(sql`DELETE FROM audit_entries`.execute(target.db)).rejects.toThrow('audit log')
    await expect(
      sql`INSERT INTO api_keys (hash, project_id, id, name, scopes, created_at) VALUES ('h', 'none', 'i', 'n', '{admin}', now())`.execute(
        target.db,
      ),
    ).rejects.toThrow('foreign key')
    expect(await abandonMove(source)).toBe(true)
    await write()
  },
)

test('a switch that fails leaves the source writing, and the next move begins anew', async () => {
  const own = await openNew(closes, true)
  const target = there(await openNew(closes, true))
  await sql`INSERT INTO projects (id, name, created_at) VALUES ('p', 'shop', now())`.execute(own)
  const begin = async () => {
    const move = await Move.open({ db: own, store: sourceStore, place: 'here' }, target)
    if (move === undefined) throw new Error('expected a move that is not complete')
    return move
  }
  const write = (name: string) => sql`UPDATE projects SET name = ${name}`.execute(own)
  // Somebody else changes the copy before it is compared.
  const changed = await begin()
  while ((await changed.work(0)).phase === 'copying') await new Promise(setImmediate)
  await sql`INSERT INTO secrets (name, value) VALUES ('more', 'rows')`.execute(target.db)
  await workUntilReady(changed)
  await expect(changed.switch(async () => undefined)).rejects.toThrow('the copy differs in 1 rows')
  await write('after the first')
  await abandonMove(own)
  // The process can't open the copy.
  const unopened = await begin()
  await workUntilReady(unopened)
  const failing = async () => {
    throw new Error('no memory')
  }
  await expect(unopened.switch(failing)).rejects.toThrow('no memory')
  await write('after the second')
  const done = await begin()
  await workUntilReady(done)
  // The project, and an entry of the audit log for each move that began.
  expect(await done.switch(async () => undefined)).toMatchObject({ rows: 4 })
  await expect(write('after the switch')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await abandonMove(own)
  await expect(begin()).rejects.toThrow('has projects')
})

test('a running service goes on at another database, with its keys, files and links', async () => {
  const data = join(folder, 'service')
  const service = await createService({ dataFolder: data, apiKey: 'key' })
  closes.push(() => service.close())
  const send = (id: string) =>
    asker(service, 'key')(`mutation { ingestStep(id: "${id}", threadId: "t") { ok } }`)
  const stored = new Set<string>()
  let begun = 0
  const write = async () => {
    const id = `s ${begun++}`
    const answer = await send(id).catch(() => undefined)
    if (answer?.ingestStep.ok === true) stored.add(id)
  }
  const command = (verb: string, options = {}) =>
    service.operate({ noun: 'move', verb, options: { toData: join(folder, 'moved'), ...options } })
  expect((await command('look')).rows[0]).toMatchObject({ phase: 'looked', files: 'are copied' })
  // The operator reads why the target can't be opened, and not that the service failed.
  const away = { toData: undefined, toDatabase: 'postgres://a:secret@127.0.0.1:1/away' }
  for (const verb of ['look', 'continue']) {
    const request = { noun: 'move', verb, options: away }
    const token = { 'x-operator-token': service.operatorToken }
    const { status, body } = await post(service, '/api/operator', request, token)
    expect(status).toBe(409)
    expect(body.errors[0].message).toContain(
      'move: the database away at 127.0.0.1:1 is unreachable',
    )
    expect(JSON.stringify(body)).not.toContain('secret')
  }
  let row: Record<string, string> | undefined
  // Each turn of the move, its switch among them, has writes beside it.
  do {
    const writing = [write(), write()]
    row = (await command('continue')).rows[0]
    await Promise.all(writing)
  } while (row?.phase !== 'moved')
  const before = stored.size
  await write()
  expect(stored.size).toBe(before + 1)
  expect(row.hash).toMatch(/^[0-9a-f]{64}$/)
  const found = await asker(service, 'key')('{ steps(first: 1) { totalCount } }')
  expect(found.steps.totalCount).toBe(stored.size)
  await service.close()
  await expect(createService({ dataFolder: data })).rejects.toThrow('was moved to')
})

test('a service that is told to stop while it goes on elsewhere closes both places, and reports no fault', async () => {
  const [from, to] = [join(folder, 'left'), join(folder, 'reached')]
  const faults: unknown[] = []
  const onError = (error: unknown) => faults.push(error)
  let row: Record<string, string> | undefined
  // A turn may end before its switch; the next service goes on with the move.
  do {
    const service = await createService({ dataFolder: from, apiKey: 'key', onError })
    const turn = service.operate({ noun: 'move', verb: 'continue', options: { toData: to } })
    // The stop waits for the turn, as one does that a signal asks for.
    const closed = service.close()
    row = (await turn).rows[0]
    await closed
    await service.close()
  } while (row?.phase !== 'moved')
  expect(faults).toEqual([])
  const next = await createService({ dataFolder: to, apiKey: 'key', onError })
  await next.close()
  expect(faults).toEqual([])
})
