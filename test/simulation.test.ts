import { expect, test } from 'vitest'
import { newSchedule } from './simulation/schedule.js'
import { failureOf } from './simulation/shrink.js'

/** `.ci/run` runs tens of thousands: `node scripts/run.js test/simulation/run.ts --schedules 40000`. */
const SCHEDULES = 600

test('whatever happens to clients, service and disk, the invariants of recording hold', async () => {
  const { stackTraceLimit } = Error
  // Simulated failures need no stack, and each costs as much as an event.
  Error.stackTraceLimit = 0
  try {
    for (let seed = 1; seed <= SCHEDULES; seed++)
      expect(await failureOf(newSchedule(seed)), `seed ${seed}`).toBeUndefined()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
})

test('a schedule runs the same way each time', async () => {
  const texts = Array.from({ length: 20 }, (_, seed) => JSON.stringify(newSchedule(seed)))
  expect(Array.from({ length: 20 }, (_, seed) => JSON.stringify(newSchedule(seed)))).toEqual(texts)
})

test('an end that a later step cancels, while it is being reported, loses no reported losses', async () => {
  const record = (at: number, ids: string[]) =>
    ({ at, kind: 'record', slot: 0, ids, size: 10 }) as const
  const refusal = { kind: 'refused', code: 'INVALID_ARGUMENT', isLong: false } as const
  const failure = await failureOf({
    seed: 2096805,
    hasSpool: false,
    isShared: false,
    limits: { maxBatchSteps: 1, maxRequests: 1, flushIntervalMs: 50 },
    maxSteps: undefined,
    actions: [
      { at: 4939, kind: 'start', slot: 0 },
      { at: 7639, kind: 'send', slot: 0, id: 's10' },
      { at: 7639, kind: 'objection', about: 's13', objection: refusal },
      record(7639, ['s11', 's12', 's13']),
      { at: 10_215, kind: 'end', slot: 0, way: 'SIGTERM', inside: undefined },
      record(10_215, ['s14', 's15', 's16']),
      { at: 10_215, kind: 'flush', slot: 0, timeoutMs: 30_000, isBlocking: true },
    ],
  })
  expect(failure).toBeUndefined()
})

test('parts that a blocking flush had no time for are sent soon after it', async () => {
  const ids = Array.from({ length: 14 }, (_, index) => `s${index}`)
  const failure = await failureOf({
    seed: 1502561806,
    hasSpool: false,
    isShared: false,
    limits: { maxBatchSteps: 500, maxRequests: 1, flushIntervalMs: 1 },
    maxSteps: 4,
    actions: [
      { at: 0, kind: 'start', slot: 0 },
      { at: 0, kind: 'stream', slot: 0, ids, everyMs: 1 },
      {
        at: 0,
        kind: 'thread',
        slot: 0,
        thread: 0,
        object: 0,
        fields: { name: 'name57', participantId: 'user2' },
        how: 'upsert',
      },
      { at: 24, kind: 'flush', slot: 0, timeoutMs: 10, isBlocking: true },
    ],
  })
  expect(failure).toBeUndefined()
})
