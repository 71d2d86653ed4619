import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { StepInput } from '../generated/resolvers.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { ProjectPrices } from '../src/domain/prices/project-prices.js'
import { Cleaner } from '../src/domain/retention/cleaner.js'
import { ThreadSums } from '../src/domain/threads/sums.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { useDomain } from './support/new-domain.js'

// Data that a project keeps for a time only.
const { db, domain } = (() => {
  const made = useDomain()
  return { db: () => made.db, domain: () => made.domain }
})()

const values = new Values(DEFAULT_LIMITS)
const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

const newCaller = async (): Promise<Caller> => {
  const { projectId } = await domain().projects.create(crypto.randomUUID())
  return { projectId, keyId: 'k', keyName: 'key', scopes: ['admin'], environment: 'prod' }
}

interface Recorded {
  id: string
  days: number
  threadId?: string
  rootRunId?: string
  environment?: string
}

const store = (caller: Caller, steps: readonly StepInput[]) =>
  domain().ingestion.store(steps.map((step) => parseStepPatch(values, caller, step)))

/** Records steps that began, ended and arrived so many days ago. */
const record = async (caller: Caller, ...steps: Recorded[]) => {
  for (const { days, ...step } of steps)
    expect(
      await store(caller, [
        { type: 'run', name: step.id, startTime: daysAgo(days), endTime: daysAgo(days), ...step },
      ]),
    ).toEqual([null])
  await domain().threads.catchUp()
  for (const { id, days, threadId } of steps) {
    const { projectId } = caller
    await sql`UPDATE steps SET created_at = ${daysAgo(days)}::timestamptz
      WHERE project_id = ${projectId} AND id = ${id}`.execute(db())
    if (threadId !== undefined)
      await sql`UPDATE threads SET created_at = least(created_at, ${daysAgo(days)}::timestamptz)
        WHERE project_id = ${projectId} AND id = ${threadId}`.execute(db())
  }
}

const idsOf = async (table: string, { projectId }: Caller) => {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${sql.table(table)} WHERE project_id = ${projectId} ORDER BY id`.execute(db())
  return rows.map(({ id }) => id)
}
const left = async (caller: Caller) => ({
  threads: await idsOf('threads', caller),
  steps: await idsOf('steps', caller),
})

/** Deletes until nothing is left to delete. */
const clean = async (
  cleaner = new Cleaner(db(), createClock(), new ThreadSums(db(), new ProjectPrices())),
) => {
  while (await cleaner.work());
}

describe('with a rule for all environments', () => {
  test('threads and steps go that are older, whole threads and no others', async () => {
    const caller = await newCaller()
    await record(
      caller,
      { id: 'a', days: 40, threadId: 'old' },
      { id: 'b', days: 35, threadId: 'old' },
      { id: 'c', days: 40, threadId: 'continued' },
      { id: 'd', days: 5, threadId: 'continued' },
      { id: 'e', days: 31 },
      { id: 'f', days: 29 },
      { id: 'g', days: 400, threadId: 'experiment', environment: 'experiment' },
      { id: 'h', days: 400, environment: 'experiment' },
    )
    const rules = { rules: [{ environment: null, days: 30 }] }
    expect(await domain().retention.preview(caller, rules)).toEqual({
      threads: 1,
      steps: 1,
      isComplete: true,
    })
    await domain().retention.set(caller, rules)
    await clean()
    expect(await left(caller)).toEqual({
      threads: ['continued', 'experiment'],
      steps: ['c', 'd', 'f', 'g', 'h'],
    })
    expect((await domain().retention.of(caller)).deletions).toMatchObject({ threads: 1, steps: 3 })
  })

  test('nothing goes that arrived lately, however old its own moments are', async () => {
    const caller = await newCaller()
    await store(caller, [
      { id: 'backfilled', threadId: 't', startTime: daysAgo(900), endTime: daysAgo(900) },
      { id: 'alone', startTime: daysAgo(900), endTime: daysAgo(900) },
    ])
    await domain().threads.catchUp()
    await domain().retention.set(caller, { rules: [{ days: 30 }] })
    await clean()
    expect(await left(caller)).toEqual({ threads: ['t'], steps: ['alone', 'backfilled'] })
  })

  test('a thread stays whose newest step is in no sums yet', async () => {
    const caller = await newCaller()
    await record(caller, { id: 'a', days: 40, threadId: 't' })
    await store(caller, [{ id: 'b', threadId: 't', startTime: daysAgo(1) }])
    await domain().retention.set(caller, { rules: [{ days: 30 }] })
    await clean()
    expect(await left(caller)).toEqual({ threads: ['t'], steps: ['a', 'b'] })
  })

  test('what belongs to a thread goes with it, and nothing of another project', async () => {
    const [caller, other] = [await newCaller(), await newCaller()]
    for (const one of [caller, other]) {
      await record(one, { id: 'a', days: 40, threadId: 't' })
      await domain().scores.create(one, { stepId: 'a', name: 's', type: 'AI', value: 1 })
      await domain().attachments.create(one, {
        name: 'file',
        stepId: 'a',
        mime: 'text/plain',
        url: 'https://example.org/file',
      })
    }
    await domain().retention.set(caller, { rules: [{ days: 30 }] })
    await clean()
    for (const table of ['threads', 'steps', 'scores', 'attachments']) {
      expect(await idsOf(table, caller), table).toEqual([])
      expect(await idsOf(table, other), table).toHaveLength(1)
    }
  })
})

describe('scores of a step or a thread that never came', () => {
  const scored = async (keep?: 'scored' | 'scoredByPeople') => {
    const caller = await newCaller()
    await record(caller, { id: 'there', days: 5 })
    const score = (name: string, of: object, type: 'AI' | 'HUMAN' = 'AI') =>
      domain().scores.create(caller, { name, type, value: 1, ...of })
    await score('stays', { stepId: 'there' })
    await score('step', { stepId: 'never' })
    await score('thread', { threadId: 'never' })
    await score('person', { stepId: 'never' }, 'HUMAN')
    const { projectId } = caller
    await sql`UPDATE scores SET created_at = ${daysAgo(40)}::timestamptz,
      updated_at = ${daysAgo(40)}::timestamptz WHERE project_id = ${projectId}`.execute(db())
    await score('new', { stepId: 'never' })
    await domain().retention.set(caller, {
      rules: [{ days: 30 }],
      ...(keep === undefined ? {} : { keep: [keep] }),
    })
    await clean()
    const { rows } = await sql<{ name: string }>`
      SELECT name FROM scores WHERE project_id = ${projectId} ORDER BY name`.execute(db())
    return rows.map(({ name }) => name)
  }

  test('go by their own age', async () => {
    expect(await scored()).toEqual(['new', 'stays'])
  })

  test('stay where an exception is for them', async () => {
    expect(await scored('scoredByPeople')).toEqual(['new', 'person', 'stays'])
    expect(await scored('scored')).toHaveLength(5)
  })
})

test('an environment’s own rule comes before the one for all', async () => {
  const caller = await newCaller()
  for (const environment of ['dev', 'staging', 'prod', 'experiment'])
    await record(
      caller,
      { id: `${environment} of a week`, days: 8, environment },
      { id: `${environment} of a month`, days: 40, environment, threadId: environment },
    )
  await domain().retention.set(caller, {
    rules: [
      { environment: 'dev', days: 7 },
      { environment: 'experiment', days: 30 },
      { environment: 'prod', days: 365 },
      { days: 30 },
    ],
  })
  await clean()
  expect(await left(caller)).toEqual({
    threads: ['prod'],
    steps: ['experiment of a week', 'prod of a month', 'prod of a week', 'staging of a week'],
  })
})

describe('exceptions', () => {
  const recordAll = async () => {
    const caller = await newCaller()
    const named = ['copied', 'judged', 'plain', 'rated', 'thread rated']
    for (const name of named)
      await record(
        caller,
        { id: `${name} 1`, days: 40, threadId: `${name} thread` },
        { id: `${name} 2`, days: 40, threadId: `${name} thread` },
        { id: `${name} root`, days: 40 },
        { id: `${name} child`, days: 40, rootRunId: `${name} root` },
      )
    const { scores, datasets } = domain()
    for (const at of ['2', 'child']) {
      await scores.create(caller, { stepId: `judged ${at}`, name: 's', type: 'AI', value: 1 })
      await scores.create(caller, { stepId: `rated ${at}`, name: 's', type: 'HUMAN', value: 1 })
    }
    await scores.create(caller, {
      threadId: 'thread rated thread',
      name: 's',
      type: 'HUMAN',
      value: 1,
    })
    const { id: datasetId } = await datasets.create(caller, { name: 'd' })
    for (const at of ['2', 'child'])
      await datasets.addStep(caller, { datasetId, stepId: `copied ${at}` })
    return caller
  }
  const whole = (...names: string[]) =>
    names.flatMap((name) => ['1', '2', 'child', 'root'].map((part) => `${name} ${part}`)).sort()

  test.each([
    { keep: [], steps: [] },
    { keep: ['inDataset'], steps: whole('copied') },
    { keep: ['scoredByPeople'], steps: [...whole('rated'), 'thread rated 1', 'thread rated 2'] },
    {
      keep: ['scored', 'inDataset'],
      steps: [...whole('copied', 'judged', 'rated'), 'thread rated 1', 'thread rated 2'],
    },
  ] as const)('$keep keep whole threads and runs', async ({ keep, steps }) => {
    const caller = await recordAll()
    const rules = { rules: [{ days: 30 }], keep: [...keep] }
    const all = await left(caller)
    const preview = await domain().retention.preview(caller, rules)
    await domain().retention.set(caller, rules)
    await clean()
    const after = await left(caller)
    expect(after.steps).toEqual([...steps].sort())
    expect(preview.threads).toBe(all.threads.length - after.threads.length)
  })

  test('copies in datasets stay when their steps go', async () => {
    const caller = await recordAll()
    await domain().retention.set(caller, { rules: [{ days: 30 }] })
    await clean()
    expect(await idsOf('dataset_items', caller)).toHaveLength(2)
  })
})

test('rules are replaced as a whole; without any, nothing is deleted', async () => {
  const caller = await newCaller()
  await record(caller, { id: 'a', days: 400 })
  const { retention } = domain()
  await retention.set(caller, { rules: [{ days: 30 }], keep: ['scored', 'scored'] })
  expect(await retention.of(caller)).toMatchObject({
    rules: [{ environment: null, days: 30 }],
    keep: ['scored'],
  })
  expect(await retention.set(caller, { rules: [] })).toMatchObject({ rules: [], keep: [] })
  await clean()
  expect((await left(caller)).steps).toEqual(['a'])
})

test('a thread of many steps goes in portions', async () => {
  const caller = await newCaller()
  const COUNT = 700
  const steps = Array.from({ length: COUNT }, (_, index) => ({
    id: `s${index}`,
    threadId: 't',
    startTime: daysAgo(50),
    endTime: daysAgo(50),
  }))
  expect(await store(caller, steps)).toEqual(steps.map(() => null))
  await domain().threads.catchUp()
  for (const table of ['steps', 'threads'])
    await sql`UPDATE ${sql.table(table)} SET created_at = ${daysAgo(50)}::timestamptz
      WHERE project_id = ${caller.projectId}`.execute(db())
  await domain().retention.set(caller, { rules: [{ days: 30 }] })
  await clean()
  expect(await left(caller)).toEqual({ threads: [], steps: [] })
  expect((await domain().retention.of(caller)).deletions).toMatchObject({
    threads: 1,
    steps: COUNT,
  })
})

test('two processes count each deletion once', async () => {
  const caller = await newCaller()
  for (let at = 0; at < 40; at++)
    await record(caller, { id: `s${at}`, days: 40, threadId: `t${at % 20}` })
  await domain().retention.set(caller, { rules: [{ days: 30 }] })
  const cleaners = [
    new Cleaner(db(), createClock(), new ThreadSums(db(), new ProjectPrices())),
    new Cleaner(db(), createClock(), new ThreadSums(db(), new ProjectPrices())),
  ]
  await Promise.all(cleaners.map(clean))
  await clean()
  expect(await left(caller)).toEqual({ threads: [], steps: [] })
  expect((await domain().retention.of(caller)).deletions).toMatchObject({ threads: 20, steps: 40 })
})

test('nothing is deleted of a project whose import is not complete', async () => {
  const caller = await newCaller()
  await record(caller, { id: 'a', days: 40, threadId: 't' })
  await domain().retention.set(caller, { rules: [{ days: 30 }] })
  const whole = (isComplete: boolean) =>
    sql`UPDATE projects SET is_import_complete = ${isComplete} WHERE id = ${caller.projectId}`.execute(
      db(),
    )
  await whole(false)
  await clean()
  expect((await left(caller)).threads).toEqual(['t'])
  await whole(true)
  await clean()
  expect((await left(caller)).threads).toEqual([])
})
