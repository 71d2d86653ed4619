import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.js'
import { evenIfLeft, onBehalfOf, whileAwaited, withTimeLimit } from '../src/database/task.js'
import { createService, type Service } from '../src/index.js'
import { asker, post } from './support/ask.js'
import { newDatabase } from './support/new-database.js'

// Keys share the connections to the database, or the single one of the embedded engine.
let service: Service
let url: string | undefined
let db: Database
let drop: () => Promise<void>
beforeAll(async () => {
  const { location, drop: end } = await newDatabase()
  drop = end
  url = 'url' in location ? location.url : undefined
  db = await openDatabase(location)
  service = await createService({ databaseUrl: url })
})
afterAll(async () => {
  await service?.close()
  await db?.destroy()
  await drop?.()
})

const sleep = (seconds: number) => sql`SELECT pg_sleep(${seconds})`.execute(db)

test('a statement waits for its key’s turn only, whatever another key has waiting', async () => {
  let done = 0
  const many = Array.from({ length: 40 }, () =>
    onBehalfOf('many', () => sleep(0.05)).then(() => done++),
  )
  const doneBefore = async (work: Promise<unknown>) => {
    await work
    return done
  }
  const others = await Promise.all([
    doneBefore(onBehalfOf('one', () => sleep(0))),
    doneBefore(sleep(0)),
    doneBefore(
      onBehalfOf('two', () => db.transaction().execute((open) => sql`SELECT 1`.execute(open))),
    ),
  ])
  for (const before of others) expect(before).toBeLessThan(20)
  await Promise.all(many)
})

test('a statement that nobody waits for is not begun, and takes no place, unless others wait for its work', async () => {
  const left = (work: () => Promise<unknown>) =>
    onBehalfOf('left', () => whileAwaited(() => false, work))
  for (let index = 0; index < 30; index++)
    await expect(left(() => sleep(0))).rejects.toThrow('the client left before its answer')
  expect(await left(() => evenIfLeft(() => sleep(0)))).toBeDefined()
  expect(await onBehalfOf('left', () => sleep(0))).toBeDefined()
})

test('a waiter whose time is over gives no place away', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      withTimeLimit(at % 2 === 0 ? 120 : 60_000, () =>
        onBehalfOf('many', () => sleep(0.05)).then(
          () => 'done',
          ({ code }) => code,
        ),
      ),
    ),
  )
  expect(outcomes.filter((_, at) => at % 2 === 1)).toEqual(Array.from({ length: 15 }, () => 'done'))
  expect(outcomes).toContain('UNAVAILABLE')
  // All places are free: if one were lost, these would wait for ever.
  const places = url === undefined ? 1 : 10
  let fill = () => {}
  const full = new Promise<void>((resolve) => {
    fill = resolve
  })
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 12 }, () =>
      db.transaction().execute(async () => {
        most = Math.max(most, ++inside)
        if (inside === places) fill()
        await full
        inside--
      }),
    ),
  )
  expect(most).toBe(places)
})

test('a key whose many searches fill the database’s time delays another one by a few of them only', async () => {
  const [many, one] = await Promise.all(['many', 'one'].map((name) => service.createProject(name)))
  const search = (apiKey = '') =>
    post(
      service,
      '/api/graphql',
      {
        query: `{ steps(first: 1, filters: [{ field: "output", operator: "ilike", value: "nowhere" }]) {
          edges { node { id } } } }`,
      },
      { 'x-api-key': apiKey },
    )
  const output = { content: 'Ä text to be looked through. '.repeat(100) }
  for (let batch = 0; batch < 5; batch++)
    await asker(service, many?.apiKey ?? '')(
      'mutation($s: [StepInput!]!) { ingestSteps(steps: $s) { ok } }',
      { s: Array.from({ length: 300 }, (_, at) => ({ id: `${batch}-${at}`, output })) },
    )
  await search(one?.apiKey)
  let answered = 0
  let isOver = false
  // Not those whose time is over: on a busy machine these are rejected together.
  const searchOnAndOn = async () => {
    while (!isOver) if ((await search(many?.apiKey)).body.errors === undefined) answered++
  }
  const searches = Array.from({ length: 40 }, searchOnAndOn)
  // Once they keep the database busy.
  await expect.poll(() => answered).toBeGreaterThan(0)
  const delays: number[] = []
  for (let round = 0; round < 5; round++) {
    const before = answered
    expect((await search(one?.apiKey)).body.data.steps.edges).toEqual([])
    delays.push(answered - before)
  }
  isOver = true
  await Promise.all(searches)
  // Of five: the machine may hold up the process that one of them has at the server.
  expect(delays.sort((a, b) => a - b)[2]).toBeLessThan(20)
})

describe('while all reads of a key wait for a lock', () => {
  const isOnServer = Boolean(process.env.STEPWELL_TEST_DATABASE)

  test.runIf(isOnServer)('another one reads, and its steps are stored', async () => {
    const [blocked, free] = await Promise.all(
      ['blocked', 'free'].map((name) => service.createProject(name)),
    )
    const locker = new pg.Client({ connectionString: url })
    await locker.connect()
    await locker.query('BEGIN')
    await locker.query('LOCK TABLE datasets IN ACCESS EXCLUSIVE MODE')
    let answered = 0
    const reads = Array.from({ length: 200 }, () =>
      post(
        service,
        '/api/graphql',
        { query: '{ dataset(id: "x") { id } }' },
        { 'x-api-key': blocked?.apiKey ?? '' },
      ).then(() => answered++),
    )
    try {
      const ask = asker(service, free?.apiKey ?? '')
      const begin = performance.now()
      for (let round = 0; round < 5; round++) {
        const id = `step-${round}`
        const { ingestSteps } = await ask(
          'mutation($s: [StepInput!]!) { ingestSteps(steps: $s) { ok } }',
          { s: [{ id, threadId: 't' }] },
        )
        expect(ingestSteps.ok).toBe(true)
        expect((await ask('query($id: String!) { step(id: $id) { id } }', { id })).step.id).toBe(id)
      }
      expect(performance.now() - begin).toBeLessThan(8000)
      expect(answered).toBe(0)
    } finally {
      await locker.query('ROLLBACK')
      await locker.end()
    }
    await Promise.all(reads)
  })
})
