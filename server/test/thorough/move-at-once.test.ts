import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/database.js'
import { Move } from '../../src/domain/moving/move.js'
import { abandonMove } from '../../src/domain/moving/unmoved.js'
import { LocalStore } from '../../src/files/local-store.js'
import { Signatures } from '../../src/files/signatures.js'
import { Mover } from '../../src/operator/moving/mover.js'
import { MemoryStore, openNew } from '../support/moving.js'

const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE && !process.env.STEPWELL_TEST_WORKERS)

// Several moves at once, and deletions beside them.
const closes: (() => Promise<void>)[] = []
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-move-at-once-'))
})
afterAll(async () => {
  for (const close of closes) await close()
  await rm(folder, { recursive: true, force: true })
})

const endAt = (place: string, db: Database, files = new Map<string, Buffer>()) => ({
  db,
  store: new MemoryStore(files),
  place,
})

const openSource = async (place: string) => {
  const db = await openNew(closes, true)
  await sql`INSERT INTO projects (id, name, created_at) VALUES (${place}, ${place}, now())`.execute(
    db,
  )
  return endAt(place, db)
}

const begin = async (...[source, target]: Parameters<typeof Move.open>): Promise<Move> => {
  const move = await Move.open(source, target)
  if (move === undefined) throw new Error('expected a move that is not complete')
  return move
}

const workUntilReady = async (move: Move): Promise<void> => {
  while ((await move.work(0)).phase !== 'ready');
}

const namesIn = async ({ db }: { db: Database }): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`SELECT name FROM projects ORDER BY name`.execute(db)
  return rows.map(({ name }) => name)
}

test('of two moves to one database the later one goes on; the other ends with the reason, and its service writes', async () => {
  const [one, other] = [await openSource('one'), await openSource('other')]
  const target = endAt('there', await openNew(closes, true))
  const first = await begin(one, target)
  await workUntilReady(first)
  const second = await begin(other, target)
  let isServed = false
  const serve = async () => {
    isServed = true
  }
  await expect(first.switch(serve)).rejects.toThrow('another command moves to there')
  await sql`UPDATE projects SET name = 'written'`.execute(one.db)
  await expect(first.switch(serve)).rejects.toThrow('another command moves to there')
  expect(isServed).toBe(false)
  await workUntilReady(second)
  await second.switch(serve)
  expect(await namesIn(target)).toEqual(['other'])
})

test('a move that another process goes on with ends here with the reason', async () => {
  const source = await openSource('one')
  const target = endAt('there', await openNew(closes, true))
  const ours = await begin(source, target)
  await ours.work(0)
  const theirs = await begin(source, target)
  await workUntilReady(theirs)
  await workUntilReady(ours)
  await expect(ours.switch(async () => undefined)).rejects.toThrow('another command moves to there')
  await theirs.switch(async () => undefined)
  expect(await namesIn(target)).toEqual(['one'])
})

test('a move whose source another move has begun to leave ends with the reason', async () => {
  const source = await openSource('one')
  const first = await begin(source, endAt('there', await openNew(closes, true)))
  await workUntilReady(first)
  const second = await begin(source, endAt('elsewhere', await openNew(closes, true)))
  await expect(first.switch(async () => undefined)).rejects.toThrow('the move was ended')
  await workUntilReady(second)
  expect(await second.switch(async () => undefined)).toMatchObject({ rows: expect.any(Number) })
})

test('a service moves to one place at a time', async () => {
  const { db } = await openSource('one')
  const from = { dataFolder: join(folder, 'one'), databaseUrl: undefined, bucket: undefined }
  const store = new LocalStore(join(folder, 'one/files'), new Signatures(''))
  const mover = new Mover(db, store, from, {
    serve: async () => undefined,
    hold: (work) => work(),
  })
  closes.push(() => mover.close())
  const turn = (name: string) => mover.continue({ toData: join(folder, name) }, 0)
  await turn('first')
  await expect(turn('second')).rejects.toThrow(`a move to ${join(folder, 'first')} is under way`)
  expect(await turn('first')).toMatchObject({ phase: 'comparing' })
  await mover.abandon()
  expect(await turn('second')).toMatchObject({ phase: 'comparing' })
})

test('a move to a database without room names both ends, and goes on once there is some', async () => {
  const { db } = await openSource('one')
  await sql`INSERT INTO threads (project_id, id, created_at) VALUES ('one', 't', now())`.execute(db)
  const from = { dataFolder: join(folder, 'roomy'), databaseUrl: undefined, bucket: undefined }
  const toData = join(folder, 'full')
  const full = await openDatabase({ folder: join(toData, 'database'), isFrugal: true })
  await sql`CREATE FUNCTION fill() RETURNS boolean LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$`.execute(
    full,
  )
  await sql`ALTER TABLE threads ADD CONSTRAINT filled CHECK (fill())`.execute(full)
  await full.destroy()
  const mover = new Mover(
    db,
    new LocalStore(join(folder, 'roomy/files'), new Signatures('')),
    from,
    {
      serve: async () => undefined,
      hold: (work) => work(),
    },
  )
  closes.push(() => mover.close())
  await expect(mover.continue({ toData }, 0)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: `the move from ${from.dataFolder} to ${toData} stopped: the disk of the database is full; make room on it, then try again`,
  })
  const emptied = await openDatabase({ folder: join(toData, 'database'), isFrugal: true })
  await sql`ALTER TABLE threads DROP CONSTRAINT filled`.execute(emptied)
  await emptied.destroy()
  expect(await mover.continue({ toData }, 0)).toMatchObject({ phase: 'comparing' })
})

test('the content of a file that is deleted during a move is in neither place afterwards', async () => {
  const source = await openSource('one')
  const { db, store } = source
  const target = endAt('there', await openNew(closes, true))
  const keys = ['files/stays', 'files/goes', 'files/\u{0}goes']
  for (const key of keys) {
    store.files.set(JSON.stringify(['one', key]), Buffer.from(key))
    await sql`INSERT INTO files (project_id, object_key, mime, created_at)
      VALUES ('one', ${key}, 'text/plain', now())`.execute(db)
  }
  const move = await begin(source, target)
  await workUntilReady(move)
  expect(target.store.files.size).toBe(3)
  for (const key of keys.slice(1)) {
    await sql`DELETE FROM files WHERE object_key = ${key}`.execute(db)
    await store.remove('one', key)
  }
  await workUntilReady(move)
  await move.switch(async () => undefined)
  expect([...target.store.files]).toEqual([...store.files])
})

// The embedded engine has a single connection.
test.runIf(isOnServer)(
  'a move is forgotten or rejected with the reason while an export reads, and no request waits for that',
  async () => {
    const db = await openNew(closes)
    await sql`INSERT INTO projects (id, name, created_at) VALUES ('p', 'p', now())`.execute(db)
    const source = endAt('one', db)
    await begin(source, endAt('there', await openNew(closes, true)))
    let endExport = () => {}
    const mayEnd = new Promise<void>((resolve) => {
      endExport = resolve
    })
    let exporting = Promise.resolve()
    await new Promise<void>((resolve) => {
      exporting = db.transaction().execute(async (transaction) => {
        await namesIn({ db: transaction })
        resolve()
        await mayEnd
      })
    })
    try {
      let isOver = false
      const abandoning = abandonMove(db)
        .catch((error) => error)
        .finally(() => {
          isOver = true
        })
      let answers = 0
      // Each would wait for the end of the export, which waits for this test.
      for (; !isOver; answers++) await namesIn({ db })
      expect(await abandoning).toMatchObject({
        message: expect.stringContaining('a long transaction uses the tables'),
      })
      expect(answers).toBeGreaterThan(1)
    } finally {
      endExport()
      await exporting
    }
    expect(await abandonMove(db)).toBe(true)
  },
)
