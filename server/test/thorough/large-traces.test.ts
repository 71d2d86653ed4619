import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { Traces } from '../../src/domain/traces/traces.js'
import type { Caller } from '../../src/kernel/caller.js'
import { createClock } from '../../src/kernel/instant.js'
import { receiveSpans } from '../../src/otlp/receive.js'
import { newFaults } from '../support/faults.js'
import { manySteps, watch } from '../support/many-steps.js'
import { useDomain } from '../support/new-domain.js'
import {
  expectedOf,
  newTrace,
  type Planned,
  planOfTrace,
  requestsOf,
} from '../support/planned-traces.js'
import { spanOf } from '../support/spans.js'

// Traces of many spans whose conversation or user is named late, as by a root that ends last: their steps move in portions.
const faults = newFaults()
const made = useDomain(faults.plugin)
const STEPS = 2600
const { newCaller, store, countSteps, stepsByUser, userOf } = manySteps(made)
afterEach(() => {
  faults.end()
})

const claimed = async (caller: Caller, id: string, threadId: string) => {
  await made.domain.traces.claim(caller, [{ id, threadId, rank: '0' }])
  return () => made.domain.traces.settle(caller, [id])
}

test('others read while thousands of steps of a trace move to its conversation', async () => {
  const caller = await newCaller()
  await store(caller, 'a', STEPS)
  const settle = await claimed(caller, 'a', 'of a')
  const seen = await watch(settle(), () => countSteps(caller, 'of a'))
  expect(seen.filter((count) => count > 0 && count < STEPS).length).toBeGreaterThan(0)
  expect(await countSteps(caller, 'of a')).toBe(STEPS)
  expect(await made.domain.threads.find(caller, 'a')).toBeNull()
})

test('a move that ends in the middle leaves the rest, which the next request of the trace moves', async () => {
  const caller = await newCaller()
  await store(caller, 'b', STEPS)
  const settle = await claimed(caller, 'b', 'of b')
  faults.begin({ at: /UPDATE steps/, after: 3 })
  await expect(settle()).rejects.toThrow('failed by the test')
  const moved = await countSteps(caller, 'of b')
  expect(moved).toBeGreaterThan(0)
  expect(await countSteps(caller, 'b')).toBe(STEPS - moved)
  expect((await made.domain.traces.find(caller, ['b'])).get('b')?.isSettled).toBe(false)
  faults.end()
  await settle()
  expect(await countSteps(caller, 'of b')).toBe(STEPS)
  expect(await made.domain.threads.find(caller, 'b')).toBeNull()
  expect((await made.domain.traces.find(caller, ['b'])).get('b')?.isSettled).toBe(true)
})

test('every thread that a large trace has left is gone, and the users of its own thread are those of the conversation', async () => {
  const caller = await newCaller()
  await store(caller, 'c', STEPS)
  await store(caller, 'elsewhere', 600, 'c-more')
  await made.domain.threads.update(caller, 'c', { participantId: 'ada' })
  await (await claimed(caller, 'c', 'of c'))()
  expect(await stepsByUser(caller, 'of c')).toEqual({ ada: STEPS + 600 })
  expect(await userOf(caller, 'of c')).toBe('ada')
  for (const left of ['c', 'elsewhere'])
    expect(await made.domain.threads.find(caller, left)).toBeNull()
})

test('others read while a span gives a user to a trace of thousands of steps, and see the thread change last', async () => {
  const caller = await newCaller()
  await store(caller, 'd', STEPS)
  await made.domain.threads.update(caller, 'd', { participantId: 'ada' })
  const look = async () => ({
    user: await userOf(caller, 'd'),
    ofBob: (await stepsByUser(caller, 'd')).bob ?? 0,
  })
  const claim = { id: 'd', identifier: 'bob', rank: '1', start: 1n }
  const seen = await watch(made.domain.traces.assignUsers(caller, [claim]), look)
  const between = seen.filter(({ ofBob }) => ofBob > 0 && ofBob < STEPS)
  expect(between.length).toBeGreaterThan(0)
  for (const { user } of between) expect(user).toBe('ada')
  expect(await look()).toEqual({ user: 'bob', ofBob: STEPS })
})

test('a user of a span that another one has beaten in the middle keeps no step, whomever the thread had', async () => {
  const caller = await newCaller()
  for (const [id, before] of Object.entries({ e: 'cleo', f: 'bob' })) {
    await store(caller, id, STEPS)
    await made.domain.threads.update(caller, id, { participantId: before })
    const beaten = { id, identifier: 'ada', rank: '5', start: 1n }
    const best = { id, identifier: 'bob', rank: '3', start: 1n }
    let isBeaten = false
    await watch(made.domain.traces.assignUsers(caller, [beaten]), async () => {
      const { ada = 0 } = await stepsByUser(caller, id)
      if (ada === 0 || isBeaten) return
      isBeaten = true
      await made.domain.traces.assignUsers(caller, [best])
    })
    expect(isBeaten).toBe(true)
    expect(await userOf(caller, id)).toBe('bob')
    expect(await stepsByUser(caller, id)).toEqual({ bob: STEPS })
  }
})

const receive = (caller: Caller, traceId: string, spans: readonly Planned[]) =>
  receiveSpans(
    { ...made.domain, traces: new Traces(made.db, createClock(), 0) },
    caller,
    spans.map(({ start, attributes, ...span }) =>
      spanOf({
        ...span,
        traceId,
        startTimeUnixNano: start,
        attributes: new Map(Object.entries(attributes)),
      }),
    ),
    () => undefined,
  )

test.each(['one after the other', 'at once'])(
  'a trace that is large from its first span on ends in one thread of one user, too: requests %s',
  async (manner) => {
    const caller = await newCaller()
    await fc.assert(
      fc.asyncProperty(planOfTrace, async (spans) => {
        const traceId = newTrace()
        const sent = requestsOf(traceId, spans)
        if (manner === 'at once')
          await Promise.all(sent.map((some) => receive(caller, traceId, some)))
        else for (const some of sent) await receive(caller, traceId, some)
        const { threadId, stepIds, user, leftThreads } = expectedOf(traceId, spans)
        expect(await stepsByUser(caller, threadId)).toEqual({ [user ?? 'nobody']: stepIds.length })
        expect(await userOf(caller, threadId)).toBe(user)
        for (const left of leftThreads)
          expect(await made.domain.threads.find(caller, left)).toBeNull()
      }),
      { numRuns: 60 },
    )
  },
)
