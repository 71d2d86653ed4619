import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.js'
import { sql } from '../src/database/rows/sql.js'
import { withTimeLimit } from '../src/database/task.js'
import { Keys } from '../src/domain/access/keys.js'
import { OPERATOR } from '../src/domain/audit/entry.js'
import { createDomain } from '../src/domain/domain.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { Turns } from '../src/kernel/sharing/turns.js'
import { newDatabase } from './support/new-database.js'

/** Keeps the processor busy. */
const work = (ms: number) => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a key with a hundred parts of work waiting is as far from its turn as one with a single one', async () => {
  const turns = new Turns()
  const order: string[] = []
  const run = async (key: string) => {
    await turns.take(key)
    order.push(key)
    work(12)
  }
  const all = [...Array.from({ length: 30 }, () => run('many')), run('one')]
  await Promise.all(all)
  expect(order.indexOf('one')).toBeLessThan(4)
})

test('a key with parts that take long gets as much time as one with many short ones, not as many turns', async () => {
  // On a busy machine, a millisecond of work takes as long as others leave it waiting.
  let time = 0
  const turns = new Turns(() => time)
  const order: string[] = []
  const run = async (key: string, ms: number) => {
    await turns.take(key)
    order.push(key)
    time += ms
  }
  const long = Array.from({ length: 5 }, () => run('long', 60))
  const short = Array.from({ length: 50 }, () => run('short', 1))
  await Promise.all([...long, ...short])
  // By turns there would be four before.
  const before = order.slice(0, order.lastIndexOf('short'))
  expect(before.filter((key) => key === 'long').length).toBeLessThan(4)
})

test('sockets and timers have their turn between two parts of work', async () => {
  const turns = new Turns()
  let done = 0
  const all = Array.from({ length: 20 }, async () => {
    await turns.take('k')
    work(12)
    done++
  })
  await new Promise((resolve) => setTimeout(resolve, 1))
  expect(done).toBeLessThan(10)
  await Promise.all(all)
})

test('connections that arrive, one in each pass of the loop, go before work, twenty-five for each slice of it', async () => {
  const turns = new Turns()
  let arrived = 0
  const arrivedAtWork: number[] = []
  const all = Array.from({ length: 10 }, async () => {
    await turns.take('k')
    arrivedAtWork.push(arrived)
    work(12)
  })
  await new Promise<void>((resolve) => {
    const arrive = () => {
      turns.arrived()
      arrived++
      if (arrived < 500) setImmediate(arrive)
      else resolve()
    }
    setImmediate(arrive)
  })
  await Promise.all(all)
  // When the first slice ends, nothing has arrived yet.
  expect(arrivedAtWork.slice(0, 7)).toEqual([0, 0, 25, 50, 75, 100, 125])
})

let db: Database
let drop: () => Promise<void>
let statements = 0
beforeAll(async () => {
  const { location, drop: end } = await newDatabase()
  drop = end
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  db = (await openDatabase(location)).withPlugin(counting)
})
afterAll(async () => {
  await db?.destroy()
  await drop?.()
})

test('an unknown key is looked up once, a thousand of them in a few statements, and more are rejected', async () => {
  const clock = createClock()
  const keys = new Keys(db, clock, () => undefined)
  const outcome = (key: string) =>
    keys.authenticate(key).then(
      () => 'known',
      ({ code }) => code,
    )
  statements = 0
  for (let time = 0; time < 5; time++) expect(await outcome('nobody')).toBe('UNAUTHENTICATED')
  expect(statements).toBe(1)
  const many = await Promise.all(Array.from({ length: 3000 }, (_, at) => outcome(`nobody-${at}`)))
  expect(statements).toBeLessThan(10)
  expect(many.filter((code) => code === 'UNAUTHENTICATED').length).toBeGreaterThanOrEqual(1000)
  expect(many.filter((code) => code === 'RATE_LIMITED').length).toBeGreaterThan(0)
})

test('a look-up that one request gives up, as a scrape of metrics does soon, goes on for the keys of others', async () => {
  const keys = new Keys(db, createClock(), () => undefined)
  let release = () => {}
  let isHeld = () => {}
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const holding = db.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE`.execute(transaction)
    isHeld()
    await new Promise<void>((resolve) => {
      release = resolve
    })
  })
  await held
  const codeOf = ({ code }: { code: unknown }) => code
  const hurried = withTimeLimit(20, () => keys.authenticate('hurried').catch(codeOf))
  const beside = withTimeLimit(60_000, () => keys.authenticate('beside').catch(codeOf))
  expect(await hurried).toBe('UNAVAILABLE')
  release()
  await holding
  expect(await beside).toBe('UNAUTHENTICATED')
})

test('a key works from the moment of its creation, even when it was tried before, and beside any number of others', async () => {
  const domain = createDomain(db, createClock(), DEFAULT_LIMITS, {
    places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
    report: () => undefined,
    writers: 1,
    commitMs: 60_000,
    wrote: () => undefined,
  })
  const { projectId, apiKey } = await domain.projects.create('p')
  await expect(domain.keys.authenticate('chosen')).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  await domain.keys.create(OPERATOR, projectId, { name: 'x', scopes: ['read'] }, 'chosen')
  const flood = Array.from({ length: 900 }, (_, at) =>
    domain.keys.authenticate(`unknown-${at}`).catch(() => undefined),
  )
  const [chosen, first] = await Promise.all([
    domain.keys.authenticate('chosen'),
    domain.keys.authenticate(apiKey),
  ])
  expect(chosen).toMatchObject({ projectId, scopes: ['read'] })
  expect(first).toMatchObject({ projectId })
  await Promise.all(flood)
})
