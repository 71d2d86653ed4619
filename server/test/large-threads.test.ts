import { type KyselyPlugin, RawNode, sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { useDomain } from './support/new-domain.js'

// Threads of many steps: a request about one is done in portions, between which others have their turn.
/** The statement that fails, as if the process ended there, after some like it. */
let fault: { at: RegExp; after: number } | undefined
const faults: KyselyPlugin = {
  transformQuery: ({ node }) => {
    const text = RawNode.is(node) ? node.sqlFragments.join('') : ''
    if (fault?.at.test(text) && fault.after-- <= 0) throw new Error('failed by the test')
    return node
  },
  transformResult: async ({ result }) => result,
}
const made = useDomain(faults)
const values = new Values(DEFAULT_LIMITS)
const STEPS = 2600

const newCaller = async (): Promise<Caller> => {
  const { projectId } = await made.domain.projects.create(crypto.randomUUID())
  return { projectId, keyId: 'k', keyName: 'key', scopes: ['admin'], environment: 'prod' }
}

const store = (caller: Caller, threadId: string, count = STEPS) => {
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `${threadId}-${index}`,
    threadId,
  }))
  return made.domain.ingestion.store(steps.map((step) => parseStepPatch(values, caller, step)))
}

/** Returns the number of steps that a thread has for each user, by the users' identifiers. */
const stepsByUser = async (
  { projectId }: Caller,
  threadId: string,
): Promise<Record<string, number>> => {
  const { rows } = await sql<{ identifier: string | null; count: number }>`
    SELECT p.identifier, count(*)::integer AS count FROM steps s
    LEFT JOIN participants p ON p.project_id = s.project_id AND p.id = s.participant_id
    WHERE s.project_id = ${projectId} AND s.thread_id = ${threadId} GROUP BY 1`.execute(made.db)
  return Object.fromEntries(rows.map(({ identifier, count }) => [identifier ?? 'nobody', count]))
}

const countSteps = async (caller: Caller, threadId: string): Promise<number> =>
  Object.values(await stepsByUser(caller, threadId)).reduce((sum, count) => sum + count, 0)

/** Looks at something again and again until some work is done. Returns what it looked like. */
const watch = async <Seen>(work: Promise<unknown>, look: () => Promise<Seen>): Promise<Seen[]> => {
  const seen: Seen[] = []
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) seen.push(await look())
  await ended
  return seen
}

afterEach(() => {
  fault = undefined
})

const deletions = async (caller: Caller) => {
  const { rows } = await made.domain.audit.list(caller, { first: 1000 })
  return rows.flatMap(({ action, details }) => (action === 'DELETE_THREAD' ? [details] : []))
}

test('others read in the middle of the deletion of a thread with thousands of steps', async () => {
  const caller = await newCaller()
  await store(caller, 't')
  const seen = await watch(made.domain.threads.delete(caller, 't'), () => countSteps(caller, 't'))
  expect(seen.filter((count) => count > 0 && count < STEPS).length).toBeGreaterThan(0)
  expect(seen.toSorted((one, other) => other - one)).toEqual(seen)
  expect(await made.domain.threads.find(caller, 't')).toBeNull()
  expect(await deletions(caller)).toEqual([{ steps: STEPS }])
})

test('a deletion that ends in the middle leaves the thread, and another one deletes the rest', async () => {
  const caller = await newCaller()
  await store(caller, 'u')
  fault = { at: /DELETE FROM steps/, after: 3 }
  await expect(made.domain.threads.delete(caller, 'u')).rejects.toThrow('failed by the test')
  const left = await countSteps(caller, 'u')
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(STEPS)
  expect(await made.domain.threads.find(caller, 'u')).not.toBeNull()
  expect(await deletions(caller)).toEqual([{ steps: STEPS - left }])
  fault = undefined
  expect(await made.domain.threads.delete(caller, 'u')).toEqual({ id: 'u' })
  expect(await countSteps(caller, 'u')).toBe(0)
  expect(await made.domain.threads.delete(caller, 'u')).toBeNull()
})

test('two deletions of a large thread at once delete it once, and note each step once', async () => {
  const caller = await newCaller()
  await store(caller, 'v')
  const outcomes = await Promise.all([1, 2].map(() => made.domain.threads.delete(caller, 'v')))
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(1)
  const noted = (await deletions(caller)).map((details) => Number(details?.steps))
  expect(noted.reduce((sum, count) => sum + count, 0)).toBe(STEPS)
})

const userOf = async (caller: Caller, threadId: string): Promise<string | null> => {
  const thread = await made.domain.threads.find(caller, threadId)
  const id = thread?.participantId
  return id == null ? null : ((await made.domain.users.find(caller, { id }))?.identifier ?? null)
}

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
    await store(caller, name)
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
  fault = { at: /(?:INSERT INTO|UPDATE) threads/, after: 0 }
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
  await store(caller, 'w')
  fault = { at: /UPDATE steps/, after: 3 }
  const change = () => made.domain.threads.update(caller, 'w', { participantId: 'ada' })
  await expect(change()).rejects.toThrow('failed by the test')
  const { ada = 0 } = await stepsByUser(caller, 'w')
  expect(ada).toBeGreaterThan(0)
  expect(ada).toBeLessThan(STEPS)
  expect(await userOf(caller, 'w')).toBeNull()
  fault = undefined
  await change()
  expect(await userOf(caller, 'w')).toBe('ada')
  expect(await stepsByUser(caller, 'w')).toEqual({ ada: STEPS })
})

test('of two users that a large thread gets at once, all of its steps have the one that it has', async () => {
  const caller = await newCaller()
  await store(caller, 'x')
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
  await store(caller, 'y')
  const change = { participantId: 'ada', metadata: { large: 'x'.repeat(2_000_000) } }
  await expect(made.domain.threads.update(caller, 'y', change)).rejects.toThrow('metadata')
  const [outcome] = await made.domain.threads.upsertAll(caller, [{ id: 'y', ...change }])
  expect(outcome?.refusal?.code).toBe('TOO_LARGE')
  expect(await stepsByUser(caller, 'y')).toEqual({ nobody: STEPS })
})

test('others read in the middle of the deletion of a user with thousands of steps, whose threads stay', async () => {
  const caller = await newCaller()
  await store(caller, 'z')
  const { participantId } = await made.domain.threads.update(caller, 'z', { participantId: 'ada' })
  const ofAda = async () => (await stepsByUser(caller, 'z')).ada ?? 0
  const seen = await watch(made.domain.users.delete(caller, participantId as string), ofAda)
  expect(seen.filter((count) => count > 0 && count < STEPS).length).toBeGreaterThan(0)
  expect(await stepsByUser(caller, 'z')).toEqual({ nobody: STEPS })
  expect(await userOf(caller, 'z')).toBeNull()
})
