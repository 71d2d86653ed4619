import { createServer } from 'node:net'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { MutationCreateAlertArgs } from '../../generated/resolvers.js'
import { type Database, openDatabase } from '../../src/database/database.js'
import { translated } from '../../src/database/failures.js'
import { createDomain, type Domain } from '../../src/domain/domain.js'
import { Sealing } from '../../src/domain/models/sealing.js'
import type { Caller } from '../../src/kernel/caller.js'
import { createClock, type Instant, parseInstant } from '../../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { leaseAlert } from '../../src/storage/alerts/alerts.js'
import { beginCall, findDueCalls } from '../../src/storage/alerts/events.js'
import { newDatabase } from '../support/new-database.js'
import { isSigned, Receiver } from '../support/receiver.js'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
let db: Database
let close: () => Promise<void>
let receiver: Receiver
let domain: Domain
/** The time of all alerts; tests move it. */
let time = Date.parse('2026-11-23T12:00:00Z')
const instant = (ms: number): Instant => parseInstant('now', new Date(ms).toISOString())
const reports: unknown[] = []

const newDomain = (limits = {}, on = db) =>
  createDomain(
    on,
    createClock(),
    { ...DEFAULT_LIMITS, ...limits },
    {
      writers: 1,
      commitMs: 60_000,
      report: (error) => {
        reports.push(error)
      },
      wrote: () => undefined,
      places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
      models: { sealing: new Sealing('secret'), allowed: [] },
      webhookHosts: ['127.0.0.1'],
      alertTime: async () => instant(time),
    },
  )

beforeAll(async () => {
  const { location, drop } = await newDatabase()
  db = await openDatabase(location)
  receiver = await Receiver.open()
  domain = newDomain()
  close = async () => {
    await domain.alertCalls.close()
    await receiver.close()
    await db.destroy()
    await drop()
  }
})
afterAll(() => close?.())
afterEach(async () => {
  expect(reports.splice(0)).toEqual([])
  receiver.clear()
  // Those of a test must not be evaluated in the next one.
  await sql`DELETE FROM alerts`.execute(db)
  await sql`DELETE FROM alert_events`.execute(db)
})

let projects = 0
const newCaller = async (): Promise<Caller> => {
  const { projectId } = await domain.projects.create(`alerts ${++projects}`)
  return { projectId, keyId: 'k', keyName: 'key', scopes: ['admin'], environment: 'prod' }
}
const create = async (caller: Caller, given: Partial<MutationCreateAlertArgs> = {}) =>
  domain.alerts.create(caller, {
    name: 'alert',
    subject: 'STEPS',
    metric: 'COUNT',
    comparison: 'ABOVE',
    threshold: 0,
    windowMinutes: 5,
    webhookUrl: receiver.url,
    ...given,
  })
const of = async (caller: Caller) => (await domain.alerts.list(caller))[0]
/** Lets some minutes pass, and evaluates and calls all that is due. */
const pass = async (minutes: number, on: Domain = domain) => {
  time += minutes * MINUTE
  await on.alertEvaluator.work()
  await on.alertEvaluator.idle()
  await callNow(on)
}
const callNow = async (on: Domain = domain) => {
  // A call of an alert waits for the one before.
  for (;;) {
    const before = on.alertCalls.counts.attempts
    await on.alertCalls.work()
    await on.alertCalls.idle()
    if (on.alertCalls.counts.attempts === before) return
  }
}
let steps = 0
const record = (caller: Caller, given: Record<string, unknown>, agoMs = 1000) =>
  domain.steps.ingest(caller, [
    { id: `step ${++steps}`, startTime: new Date(time - agoMs).toISOString(), ...given } as never,
  ])
const eventsOf = async (caller: Caller, id: string) =>
  (await domain.alerts.events(caller, id, 200)).map(({ type, state, value, isQuiet, callState }) =>
    [type, state, value, isQuiet ? 'quiet' : '', callState ?? ''].join(' ').trim(),
  )

describe('the value of an alert', () => {
  test('is computed from the rows of the window and the query, and empty windows have none', async () => {
    const caller = await newCaller()
    const values = async (given: Partial<MutationCreateAlertArgs>) => {
      const { alert } = await create(caller, { threshold: 1e9, ...given })
      await pass(0)
      const found = (await domain.alerts.list(caller)).find(({ id }) => id === alert.id)
      await domain.alerts.delete(caller, alert.id)
      return [found?.state, found?.value]
    }
    expect(await values({ metric: 'COUNT' })).toEqual(['OK', 0])
    expect(await values({ metric: 'ERROR_COUNT' })).toEqual(['OK', 0])
    expect(await values({ metric: 'COST' })).toEqual(['OK', 0])
    expect(await values({ metric: 'TOKENS' })).toEqual(['OK', 0])
    for (const metric of ['ERROR_RATE', 'DURATION_P50', 'DURATION_P95', 'DURATION_P99'] as const)
      expect(await values({ metric })).toEqual(['NO_DATA', null])
    expect(await values({ subject: 'SCORES', metric: 'SCORE_MEAN' })).toEqual(['NO_DATA', null])

    const ended = (seconds: number) => ({
      endTime: new Date(time - 60_000 + seconds * 1000).toISOString(),
    })
    await record(caller, { id: 'old', name: 'tool', error: 'x', threadId: 't0' }, 6 * MINUTE)
    await record(
      caller,
      {
        id: 'a',
        name: 'tool',
        threadId: 't1',
        ...ended(1),
        error: 'x',
        scores: [{ name: 'q', type: 'AI', value: 1 }],
      },
      MINUTE,
    )
    await record(
      caller,
      {
        id: 'b',
        name: 'tool',
        threadId: 't1',
        ...ended(3),
        scores: [{ name: 'q', type: 'AI', value: 0 }],
      },
      MINUTE,
    )
    await record(
      caller,
      {
        id: 'c',
        name: 'llm',
        threadId: 't2',
        ...ended(5),
        generation: { model: 'm', tokenCount: 42 },
      },
      MINUTE,
    )
    expect(await values({ metric: 'COUNT' })).toEqual(['OK', 3])
    expect(await values({ metric: 'COUNT', query: 'name=tool' })).toEqual(['OK', 2])
    expect(await values({ metric: 'COUNT', query: 'name=tool', windowMinutes: 10 })).toEqual([
      'OK',
      3,
    ])
    expect(await values({ metric: 'COUNT', environment: 'dev' })).toEqual(['OK', 0])
    expect(await values({ metric: 'COUNT', environment: 'prod' })).toEqual(['OK', 3])
    expect(await values({ metric: 'ERROR_COUNT' })).toEqual(['OK', 1])
    expect(await values({ metric: 'ERROR_RATE', query: 'name=tool' })).toEqual(['OK', 0.5])
    expect(await values({ metric: 'DURATION_P50' })).toEqual(['OK', 3])
    expect(await values({ metric: 'TOKENS' })).toEqual(['OK', 42])
    expect(await values({ subject: 'GENERATIONS', metric: 'COUNT' })).toEqual(['OK', 1])
    // Conditions on other tables.
    expect(await values({ metric: 'COUNT', query: 'score[q]=1' })).toEqual(['OK', 1])
    expect(await values({ metric: 'DURATION_P50', query: 'score[q]:none' })).toEqual(['OK', 5])
    expect(await values({ metric: 'COUNT', query: 'score[q]=7' })).toEqual(['OK', 0])
    expect(await values({ subject: 'THREADS', metric: 'COUNT' })).toEqual(['OK', 2])
    expect(await values({ subject: 'THREADS', metric: 'ERROR_COUNT' })).toEqual(['OK', 1])
    expect(await values({ subject: 'THREADS', metric: 'COUNT', query: 'any(name=llm)' })).toEqual([
      'OK',
      1,
    ])
  })

  test('of scores is their mean, by name', async () => {
    const caller = await newCaller()
    // Scores are of the moment at which they are created, which is soon; the window has minutes.
    time = Date.now() + MINUTE
    await record(caller, {
      scores: [
        { name: 'quality', type: 'AI', value: 0.25 },
        { name: 'quality', type: 'HUMAN', value: 0.5 },
        { name: 'other', type: 'AI', value: 9 },
      ],
    })
    const given = { subject: 'SCORES', metric: 'SCORE_MEAN', query: 'name=quality' } as const
    await create(caller, { ...given, comparison: 'BELOW', threshold: 0.375 })
    await create(caller, { ...given, name: 'more', comparison: 'BELOW', threshold: 0.376 })
    await pass(0)
    expect((await domain.alerts.list(caller)).map(({ state, value }) => [state, value])).toEqual([
      ['OK', 0.375],
      ['FIRING', 0.375],
    ])
  })

  test('of scores leaves out values that are too large to be averaged', async () => {
    const caller = await newCaller()
    time = Date.now() + 1000
    for (const value of [0.25, 0.75, 1e308, -1e308])
      await record(caller, { scores: [{ name: 'quality', type: 'AI', value }] })
    await create(caller, { subject: 'SCORES', metric: 'SCORE_MEAN', threshold: 9 })
    await create(caller, { subject: 'SCORES', metric: 'COUNT', name: 'count', threshold: 9 })
    await pass(0)
    expect((await domain.alerts.list(caller)).map(({ state, value }) => [state, value])).toEqual([
      ['OK', 0.5],
      ['OK', 4],
    ])
  })

  test('that cannot be computed is an event, and the webhook hears of it', async () => {
    const caller = await newCaller()
    const small = newDomain({ searchRows: 2 })
    const { alert } = await create(caller, { threshold: 100 })
    for (let count = 0; count < 3; count++) await record(caller, {})
    await pass(0, small)
    expect(await of(caller)).toMatchObject({ state: 'FAILED', value: null })
    expect((await of(caller))?.message).toContain('too many rows')
    expect(receiver.calls[0]?.body).toMatchObject({ type: 'alert.failed', data: { value: null } })
    expect(receiver.calls[0]?.body.text).toContain('choose a shorter window')
    await pass(1)
    expect(receiver.types).toEqual(['alert.failed', 'alert.resolved'])
    expect(await eventsOf(caller, alert.id)).toEqual([
      'CHANGED OK 3  DELIVERED',
      'CHANGED FAILED   DELIVERED',
    ])
  })

  test.each([
    ['08006', 'a connection that is lost'],
    ['55P03', 'rows that another transaction holds'],
  ])('is no failure by %s, %s: the next evaluation computes it', async (code) => {
    let isAway = true
    // The database fails as it does by itself, in the middle of an evaluation.
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (isAway && result.rows.some((row) => 'percentiles' in row))
          throw translated(Object.assign(new Error('gone'), { code }))
        return result
      },
    }
    const caller = await newCaller()
    const other = newDomain({}, db.withPlugin(failing))
    await create(caller)
    await record(caller, {}, 1)
    await pass(0, other)
    expect(await of(caller)).toMatchObject({ state: null })
    isAway = false
    await pass(1, other)
    expect(await of(caller)).toMatchObject({ state: 'FIRING' })
    expect(receiver.types).toEqual(['alert.firing'])
  })

  test('that the database cannot compute for a quarter of an hour is a failure', async () => {
    const gone = () => {
      throw translated(Object.assign(new Error('gone'), { code: '08006' }))
    }
    const caller = await newCaller()
    const other = newDomain(
      {},
      db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) =>
          result.rows.some((row) => 'percentiles' in row) ? gone() : result,
      }),
    )
    await create(caller)
    for (const minutes of [0, 1, 1, 3, 5, 4]) await pass(minutes, other)
    expect(await of(caller)).toMatchObject({ state: null })
    await pass(2, other)
    expect(await of(caller)).toMatchObject({ state: 'FAILED' })
    expect(receiver.types).toEqual(['alert.failed'])
  })
})

describe('an alert', () => {
  test('calls when it fires, repeats as asked, and calls when it resolves', async () => {
    const caller = await newCaller()
    const { alert, secret } = await create(caller, { threshold: 1, repeatMinutes: 5 })
    await record(caller, {})
    await pass(0)
    expect(await of(caller)).toMatchObject({ state: 'OK', value: 1 })
    await record(caller, {}, 0)
    await pass(1)
    expect(receiver.types).toEqual(['alert.firing'])
    for (let count = 0; count < 6; count++) {
      await record(caller, {})
      await record(caller, {})
      await pass(1)
    }
    expect(receiver.types).toEqual(['alert.firing', 'alert.firing'])
    expect(receiver.calls[1]?.body.data.reason).toBe('REPEATED')
    await pass(6)
    await pass(1)
    expect(receiver.types.slice(2)).toEqual(['alert.resolved'])
    for (const call of receiver.calls) expect(isSigned(call, secret)).toBe(true)
    expect(await eventsOf(caller, alert.id)).toEqual([
      'CHANGED OK 0  DELIVERED',
      expect.stringContaining('REPEATED FIRING'),
      'CHANGED FIRING 2  DELIVERED',
      'CHANGED OK 1',
    ])
  })

  test('that nothing arrived fires, with "below"', async () => {
    const caller = await newCaller()
    await create(caller, { comparison: 'BELOW', threshold: 1 })
    await pass(0)
    expect(receiver.types).toEqual(['alert.firing'])
    await record(caller, {}, 0)
    await pass(1)
    expect(receiver.types).toEqual(['alert.firing', 'alert.resolved'])
  })

  test('keeps quiet in quiet hours, and tells at their end of what still holds', async () => {
    const caller = await newCaller()
    time = Date.parse('2026-03-28T20:58:00Z')
    const night = {
      timeZone: 'Europe/Berlin',
      periods: [{ days: ['SATURDAY' as const], from: '22:00', to: '07:00' }],
    }
    const { alert } = await create(caller, { quietHours: night, windowMinutes: 10_080 })
    await pass(0)
    await pass(2)
    await record(caller, {})
    await pass(1)
    expect(await of(caller)).toMatchObject({ state: 'FIRING' })
    // The clocks change in this night: 07:00 is at 05:00 UTC instead of 06:00.
    time = Date.parse('2026-03-29T04:59:00Z')
    await pass(0)
    expect(receiver.calls).toEqual([])
    await pass(1)
    expect(receiver.types).toEqual(['alert.firing'])
    expect(receiver.calls[0]?.body.data.reason).toBe('QUIET_ENDED')
    expect(await eventsOf(caller, alert.id)).toEqual([
      'QUIET_ENDED FIRING 1  DELIVERED',
      'CHANGED FIRING 1 quiet',
      'CHANGED OK 0',
    ])
  })

  test('that is paused is not evaluated, and a change is evaluated at once', async () => {
    const caller = await newCaller()
    const { alert } = await create(caller)
    await domain.alerts.update(caller, { id: alert.id, isPaused: true })
    await record(caller, {})
    await pass(1)
    expect(await of(caller)).toMatchObject({ state: null, evaluatedAt: null })
    await domain.alerts.update(caller, { id: alert.id, isPaused: false })
    await pass(0)
    expect(await of(caller)).toMatchObject({ state: 'FIRING' })
    await domain.alerts.update(caller, { id: alert.id, threshold: 1 })
    await pass(0)
    expect(await of(caller)).toMatchObject({ state: 'OK', threshold: 1 })
    expect(receiver.types).toEqual(['alert.firing', 'alert.resolved'])
  })

  test('has a history that is bounded', async () => {
    const caller = await newCaller()
    const { alert } = await create(caller, { threshold: 0.5, windowMinutes: 5 })
    for (let count = 0; count < 103; count++) {
      await record(caller, {}, 0)
      await pass(1)
      await pass(6)
    }
    expect(await domain.alerts.events(caller, alert.id, 200)).toHaveLength(200)
    await domain.alerts.delete(caller, alert.id)
    expect(await domain.alerts.events(caller, alert.id, 200)).toEqual([])
  })
})

describe('several processes', () => {
  test('evaluate an alert once, and deliver each event once', async () => {
    const caller = await newCaller()
    const processes = [domain, newDomain(), newDomain()]
    for (let count = 0; count < 6; count++) await create(caller, { name: `alert ${count}` })
    await record(caller, {})
    const before = processes.map((one) => one.alertEvaluator.counts.evaluated)
    for (let round = 0; round < 4; round++) {
      await Promise.all(processes.map((one) => one.alertEvaluator.work()))
      await Promise.all(processes.map((one) => one.alertEvaluator.idle()))
    }
    const evaluated = processes.map(
      (one, index) => one.alertEvaluator.counts.evaluated - (before[index] ?? 0),
    )
    expect(evaluated.reduce((sum, one) => sum + one, 0)).toBe(6)
    for (let round = 0; round < 4; round++) {
      await Promise.all(processes.map((one) => one.alertCalls.work()))
      await Promise.all(processes.map((one) => one.alertCalls.idle()))
    }
    expect(receiver.types).toEqual(Array.from({ length: 6 }, () => 'alert.firing'))
    expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(6)
  })

  test('deliver the event of a process that ended before its call, with the same id and body', async () => {
    const caller = await newCaller()
    const { secret } = await create(caller)
    await record(caller, {})
    await domain.alertEvaluator.work()
    await domain.alertEvaluator.idle()
    // Another process began the call, and was killed before it stored the outcome.
    const [due] = await findDueCalls(db, instant(time), 10)
    expect(due).toBeDefined()
    if (due === undefined) return
    const begun = await beginCall(db, due, instant(time), instant(time + 30_000))
    expect(await beginCall(db, due, instant(time), instant(time + 30_000))).toBeUndefined()
    await callNow()
    expect(receiver.calls).toEqual([])
    time += 31_000
    await callNow()
    expect(receiver.calls).toHaveLength(1)
    expect(receiver.calls[0]?.headers['webhook-id']).toBe(due.id)
    expect(receiver.calls[0]?.text).toBe(begun?.callBody)
    expect(receiver.calls.every((call) => isSigned(call, secret))).toBe(true)
  })

  test('evaluate the alert of a process that ended during an evaluation, once its lease has ended', async () => {
    const caller = await newCaller()
    const { alert } = await create(caller)
    const lease = { lease: 'killed', now: instant(time), until: instant(time + 2 * MINUTE) }
    expect(await leaseAlert(db, alert, lease)).toBeDefined()
    await pass(1)
    expect(await of(caller)).toMatchObject({ state: null })
    await pass(1)
    expect(await of(caller)).toMatchObject({ state: 'OK' })
  })
})

describe('a project with many alerts', () => {
  test('leaves places to the evaluations and calls of another one, whose turn comes later', async () => {
    const [many, one] = [await newCaller(), await newCaller()]
    for (let count = 0; count < 20; count++) await create(many)
    await record(many, {}, 0)
    await record(one, {}, 0)
    time += MINUTE
    await create(one)
    await domain.alertEvaluator.work()
    await domain.alertEvaluator.idle()
    expect(await of(one)).toMatchObject({ state: 'FIRING' })
    while ((await domain.alerts.list(many)).some(({ state }) => state === null)) {
      await domain.alertEvaluator.work()
      await domain.alertEvaluator.idle()
    }
    time += 1000
    await sql`UPDATE alert_events SET next_call_at = ${instant(time)}::timestamptz
      WHERE project_id = ${one.projectId}`.execute(db)
    await domain.alertCalls.work()
    await domain.alertCalls.idle()
    expect(receiver.calls.map(({ body }) => body.data.projectId)).toContain(one.projectId)
  })
})

describe('a webhook that fails', () => {
  test('is called again, later and later, with the same id, and in the order of events', async () => {
    const caller = await newCaller()
    const { alert } = await create(caller)
    receiver.statuses.push(500, 503, 302)
    await record(caller, {}, 1)
    await pass(0)
    expect(receiver.types).toEqual(['alert.firing'])
    expect((await domain.alerts.events(caller, alert.id, 1))[0]).toMatchObject({
      callState: 'PENDING',
      callAttempts: 1,
      callStatus: 500,
      callError: 'the webhook answered 500',
    })
    // It resolves meanwhile, and the webhook hears of that after the other event.
    await pass(6)
    expect(receiver.types).toEqual(['alert.firing', 'alert.firing'])
    await pass(1)
    expect(receiver.types).toHaveLength(3)
    await pass(2)
    expect(receiver.types.slice(3)).toEqual(['alert.firing', 'alert.resolved'])
    const ids = receiver.calls.slice(0, 4).map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids).size).toBe(1)
    expect(new Set(receiver.calls.slice(0, 4).map(({ text }) => text)).size).toBe(1)
    const stamps = receiver.calls.slice(0, 4).map(({ headers }) => headers['webhook-timestamp'])
    expect(new Set(stamps).size).toBe(4)
  })

  test('by another protocol is a failed call, which keeps no place', async () => {
    const caller = await newCaller()
    const upgrading = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
        ),
      )
    })
    await new Promise<void>((resolve) => upgrading.listen(0, '127.0.0.1', resolve))
    const { port } = upgrading.address() as { port: number }
    const webhookUrl = `http://127.0.0.1:${port}/`
    const { alert } = await create(caller, { webhookUrl })
    await record(caller, {}, 1)
    await pass(0)
    const [event] = await domain.alerts.events(caller, alert.id, 1)
    expect(event).toMatchObject({
      callState: 'PENDING',
      callStatus: null,
      callError: 'the webhook closed the connection',
    })
    await new Promise((resolve) => upgrading.close(resolve))
  })

  test('is given up after a day, or when it is gone', async () => {
    const caller = await newCaller()
    const { alert } = await create(caller)
    receiver.statuses.push(...Array.from({ length: 500 }, () => 500))
    await record(caller, {}, 1)
    const begin = time
    await domain.alertEvaluator.work()
    await domain.alertEvaluator.idle()
    await domain.alerts.update(caller, { id: alert.id, isPaused: true })
    while (time < begin + DAY + 60 * MINUTE) {
      await callNow()
      time += 15 * MINUTE
    }
    const [event] = await domain.alerts.events(caller, alert.id, 1)
    expect(event).toMatchObject({ callState: 'FAILED', callStatus: 500, nextCallAt: null })
    expect(event?.callAttempts).toBeGreaterThan(90)
    receiver.clear()
    receiver.statuses.push(410)
    await domain.alerts.update(caller, { id: alert.id, isPaused: false })
    await pass(0)
    expect((await domain.alerts.events(caller, alert.id, 1))[0]).toMatchObject({
      state: 'OK',
      callState: 'FAILED',
      callStatus: 410,
      callAttempts: 1,
    })
  })
})

test('a clock that was days ahead for a while silences neither an alert nor its call', async () => {
  const caller = await newCaller()
  const { alert } = await create(caller)
  await record(caller, {})
  const right = time
  time += 10 * DAY
  receiver.statuses.push(500)
  await record(caller, {})
  await pass(0)
  const events = () => eventsOf(caller, alert.id)
  expect(await events()).toEqual(['CHANGED FIRING 1  PENDING'])
  time = right
  await pass(1)
  expect((await of(caller))?.evaluatedAt).toBe(instant(time))
  expect(await events()).toContain('CHANGED FIRING 1  DELIVERED')
})
