import { afterEach, expect, test } from 'vitest'
import type { Caller } from '../../src/kernel/caller.js'
import { newFaults } from '../support/faults.js'
import { manySteps, watch } from '../support/many-steps.js'
import { useDomain } from '../support/new-domain.js'

// Threads of many steps: a request about one is done in portions, between which others have their turn.
const faults = newFaults()
const made = useDomain(faults.plugin)
const STEPS = 2600
const { newCaller, store, countSteps, stepsByUser, userOf } = manySteps(made)

afterEach(() => {
  faults.end()
})

const deletions = async (caller: Caller) => {
  const { rows } = await made.domain.audit.list(caller, { first: 1000 })
  return rows.flatMap(({ action, details }) => (action === 'DELETE_THREAD' ? [details] : []))
}

test('others read in the middle of the deletion of a thread with thousands of steps', async () => {
  const caller = await newCaller()
  await store(caller, 't', STEPS)
  const seen = await watch(made.domain.threads.delete(caller, 't'), () => countSteps(caller, 't'))
  expect(seen.filter((count) => count > 0 && count < STEPS).length).toBeGreaterThan(0)
  expect(seen.toSorted((one, other) => other - one)).toEqual(seen)
  expect(await made.domain.threads.find(caller, 't')).toBeNull()
  expect(await deletions(caller)).toEqual([{ steps: STEPS }])
})

test('a deletion that ends in the middle leaves the thread, and another one deletes the rest', async () => {
  const caller = await newCaller()
  await store(caller, 'u', STEPS)
  faults.begin({ at: /DELETE FROM steps/, after: 3 })
  await expect(made.domain.threads.delete(caller, 'u')).rejects.toThrow('failed by the test')
  const left = await countSteps(caller, 'u')
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(STEPS)
  expect(await made.domain.threads.find(caller, 'u')).not.toBeNull()
  expect(await deletions(caller)).toEqual([{ steps: STEPS - left }])
  faults.end()
  expect(await made.domain.threads.delete(caller, 'u')).toEqual({ id: 'u' })
  expect(await countSteps(caller, 'u')).toBe(0)
  expect(await made.domain.threads.delete(caller, 'u')).toBeNull()
})

test('two deletions of a large thread at once delete it once, and note each step once', async () => {
  const caller = await newCaller()
  await store(caller, 'v', STEPS)
  const outcomes = await Promise.all([1, 2].map(() => made.domain.threads.delete(caller, 'v')))
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1)
  const noted = (await deletions(caller)).map((details) => Number(details?.steps))
  expect(noted.reduce((sum, count) => sum + count, 0)).toBe(STEPS)
})

const changes = {
  'a change of one thread': (caller: Caller, id: string, participantId: string) =>
    made.domain.threads.update(caller, id, { participantId }),
  'a batch of threads': async (caller: Caller, id: string, participantId: string) => {
    const outcomes = await made.domain.threads.upsertAll(caller, [{ id, participantId }])
    for (const { refusal } of outcomes) if (refusal !== null) throw new Error(refusal.message)
  },
}

test.each(Object.entries(changes))(
  'others read while %s gives thousands of steps to another user, and see the thread change last',
  async (name, change) => {
    const caller = await newCaller()
    await store(caller, name, STEPS)
    await change(caller, name, 'ada')
    const look = async () => ({
      user: await userOf(caller, name),
      ofBob: (await stepsByUser(caller, name)).bob ?? 0,
    })
    const seen = await watch(change(caller, name, 'bob'), look)
    const between = seen.filter(({ ofBob }) => ofBob > 0 && ofBob < STEPS)
    expect(between.length).toBeGreaterThan(0)
    for (const { user } of between) expect(user).toBe('ada')
    expect(await look()).toEqual({ user: 'bob', ofBob: STEPS })
  },
)

test('of a batch of threads, those that are large are given to another user ahead, wherever they are in it', async () => {
  const caller = await newCaller()
  const sizes = { 'l-small': 3, 'l-large': STEPS, 'l-none': 0, 'l-other': 700 }
  for (const [id, count] of Object.entries(sizes)) await store(caller, id, count)
  await made.domain.threads.upsertAll(caller, [{ id: 'l-none' }])
  faults.begin({ at: /(?:INSERT INTO|UPDATE) threads/, after: 0 })
  const changed = made.domain.threads.upsertAll(
    caller,
    Object.keys(sizes).map((id) => ({ id, participantId: 'ada' })),
  )
  await expect(changed).rejects.toThrow('failed by the test')
  // Portions of the large ones were done before; the rest has to wait for the transaction that failed.
  expect(await stepsByUser(caller, 'l-large')).toEqual({ ada: STEPS })
  expect(await stepsByUser(caller, 'l-other')).toEqual({ ada: 700 })
  expect(await stepsByUser(caller, 'l-small')).toEqual({ nobody: 3 })
})

test('a change of the user that ends in the middle leaves the thread its user, and is done when it is sent again', async () => {
  const caller = await newCaller()
  await store(caller, 'w', STEPS)
  faults.begin({ at: /UPDATE steps/, after: 3 })
  const change = () => made.domain.threads.update(caller, 'w', { participantId: 'ada' })
  await expect(change()).rejects.toThrow('failed by the test')
  const { ada = 0 } = await stepsByUser(caller, 'w')
  expect(ada).toBeGreaterThan(0)
  expect(ada).toBeLessThan(STEPS)
  expect(await userOf(caller, 'w')).toBeNull()
  faults.end()
  await change()
  expect(await userOf(caller, 'w')).toBe('ada')
  expect(await stepsByUser(caller, 'w')).toEqual({ ada: STEPS })
})

test('of two users that a large thread gets at once, all of its steps have the one that it has', async () => {
  const caller = await newCaller()
  await store(caller, 'x', STEPS)
  await Promise.all(
    ['ada', 'bob'].map((participantId) =>
      made.domain.threads.update(caller, 'x', { participantId }),
    ),
  )
  expect(await stepsByUser(caller, 'x')).toEqual({
    [String(await userOf(caller, 'x'))]: STEPS,
  })
})

test('a change of a large thread that is rejected gives no step another user', async () => {
  const caller = await newCaller()
  await store(caller, 'y', STEPS)
  const change = { participantId: 'ada', metadata: { large: 'x'.repeat(2_000_000) } }
  await expect(made.domain.threads.update(caller, 'y', change)).rejects.toThrow('metadata')
  const [outcome] = await made.domain.threads.upsertAll(caller, [{ id: 'y', ...change }])
  expect(outcome?.refusal?.code).toBe('TOO_LARGE')
  expect(await stepsByUser(caller, 'y')).toEqual({ nobody: STEPS })
})

test('others read in the middle of the deletion of a user with thousands of steps, whose threads stay', async () => {
  const caller = await newCaller()
  await store(caller, 'z', STEPS)
  const { participantId } = await made.domain.threads.update(caller, 'z', { participantId: 'ada' })
  const ofAda = async () => (await stepsByUser(caller, 'z')).ada ?? 0
  const seen = await watch(made.domain.users.delete(caller, participantId as string), ofAda)
  expect(seen.filter((count) => count > 0 && count < STEPS).length).toBeGreaterThan(0)
  expect(await stepsByUser(caller, 'z')).toEqual({ nobody: STEPS })
  expect(await userOf(caller, 'z')).toBeNull()
})
