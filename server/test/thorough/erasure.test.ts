import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { runs } from '../../../test/support/runs.js'
import type { Database } from '../../src/database/database.js'
import type { Domain } from '../../src/domain/domain.js'
import { Erasure } from '../../src/domain/erasure/erasure.js'
import { none } from '../../src/domain/erasure/kinds.js'
import { Values } from '../../src/domain/values.js'
import type { Caller } from '../../src/kernel/caller.js'
import { DomainError } from '../../src/kernel/errors.js'
import { DEFAULT_LIMITS } from '../../src/kernel/limits.js'
import { useDomain } from '../support/new-domain.js'

// All that is recorded of a person has their name in it, so that a search through all tables finds what is left.

// No hexadecimal digits alone, which ids have too.
const ADA = 'ada lovelace'
const BOB = 'bob'

/** Makes the next statements fail, from the one that is counted down to. */
let statementsUntilFault = Number.POSITIVE_INFINITY
/** Makes so many transactions that limit their wait for locked rows meet one that others hold. */
let lockedPortions = 0
const faults: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (lockedPortions > 0 && JSON.stringify(node).includes('lock_timeout')) {
      lockedPortions--
      throw new DomainError('UNAVAILABLE', 'another one holds the rows', { code: '55P03' })
    }
    if (--statementsUntilFault < 0) throw new Error('the fault of a test')
    return node
  },
  transformResult: async ({ result }) => result,
}

let db: Database
let domain: Domain
const made = useDomain(faults)
beforeAll(() => {
  ;({ db, domain } = made)
})

let projects = 0
const newCaller = () =>
  ({
    projectId: `p${++projects}`,
    environment: 'prod',
    scopes: ['admin'],
  }) as unknown as Caller

/** Returns the number of rows by table that have a text somewhere. */
const rowsWith = async ({ projectId }: Caller, text: string): Promise<Record<string, number>> => {
  const { rows: tables } = await sql<{ name: string }>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = current_schema() AND column_name = 'project_id' ORDER BY 1`.execute(db)
  const found: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ count: string }>`
      SELECT count(*)::text AS count FROM ${sql.table(name)} AS row
      WHERE project_id = ${projectId} AND row::text LIKE ${`%${text}%`}`.execute(db)
    if (rows[0]?.count !== '0') found[name] = Number(rows[0]?.count)
  }
  return found
}

const stored = async (work: Promise<{ refusal: unknown }[]>) =>
  expect(new Set((await work).map(({ refusal }) => refusal))).toEqual(new Set([null]))

const say = (caller: Caller, id: string, threadId: string, person: string) =>
  stored(
    domain.steps.ingest(caller, [
      {
        id,
        threadId,
        type: 'run',
        input: { words: person },
        scores: [{ name: 'polite', type: 'CODE', value: 1, comment: person }],
        attachments: [{ id: `file-${id}`, name: person, url: 'https://example.org/' }],
      },
      { id: `${id}-model`, parentId: id, threadId, type: 'llm', output: { words: person } },
    ]),
  )

/** A run of an experiment on an item, which repeats the words of a person. */
const runOn = async (caller: Caller, experiment: string, item: string, person: string) => {
  const run = randomUUID()
  await stored(
    domain.steps.ingest({ ...caller, environment: 'experiment' }, [
      { id: run, type: 'run', output: { words: person } },
      { id: `${run}-1`, parentId: run, rootRunId: run, output: { words: person } },
    ]),
  )
  await domain.experiments.createItem(caller, {
    datasetExperimentId: experiment,
    datasetItemId: item,
    experimentRunId: run,
    output: { words: person },
    scores: [{ name: 'same', type: 'CODE', value: 1, comment: person }],
  } as never)
  return run
}

/** Records a person with copies of copies. Returns the ids of what there is. */
const record = async (caller: Caller, person: string) => {
  const thread = randomUUID()
  await domain.threads.upsert(caller, thread, { name: person, participantId: person } as never)
  await say(caller, `${thread}-step`, thread, person)
  const dataset = await domain.datasets.create(caller, { name: randomUUID() } as never)
  const add = async (stepId: string) =>
    (await domain.datasets.addStep(caller, { datasetId: dataset.id, stepId } as never)).id
  const experiment = await domain.experiments.create(caller, {
    name: 'try',
    datasetId: dataset.id,
  } as never)
  const item = await add(`${thread}-step`)
  const run = await runOn(caller, experiment.id, item, person)
  const itemOfRun = await add(run)
  const runOfRun = await runOn(caller, experiment.id, itemOfRun, person)
  return { thread, dataset: dataset.id, experiment: experiment.id, item, run, itemOfRun, runOfRun }
}

const erase = (caller: Caller, identifier: string, isDryRun = false, copies = true) =>
  domain.erasure.delete(caller, { identifier, copies, isDryRun })

const WHOLE = {
  isComplete: true,
  users: 1,
  threads: 1,
  threadsKept: 0,
  // Two of the thread, and two of each run.
  steps: 6,
  generations: 0,
  // Of the step, and of two results.
  scores: 3,
  attachments: 1,
  datasetItems: 2,
  experimentItems: 2,
}

test('all of a person is deleted, copies of copies included, and nothing of others; a dry run counts the same', async () => {
  const caller = newCaller()
  await record(caller, ADA)
  await record(caller, BOB)
  await domain.scores.create(caller, {
    stepId: 'of nobody',
    name: 'helpful',
    type: 'HUMAN',
    value: 1,
    scorer: ADA,
  } as never)
  const ofBob = await rowsWith(caller, BOB)
  const whole = { ...WHOLE, scores: 4 }
  expect(await erase(caller, ADA, true)).toEqual(whole)
  expect(Object.keys(await rowsWith(caller, ADA)).length).toBeGreaterThan(5)
  expect(await erase(caller, ADA)).toEqual(whole)
  expect(await rowsWith(caller, ADA)).toEqual({})
  expect(await rowsWith(caller, BOB)).toEqual(ofBob)
  expect(await erase(caller, ADA)).toEqual({ ...none(), isComplete: true })
  expect(await erase(caller, 'nobody')).toEqual({ ...none(), isComplete: true })
})

test('copies can be kept: the steps are deleted, items, results and runs stay', async () => {
  const caller = newCaller()
  await record(caller, ADA)
  const kept = { ...WHOLE, steps: 2, scores: 1, datasetItems: 0, experimentItems: 0 }
  expect(await erase(caller, ADA, true, false)).toEqual(kept)
  expect(await erase(caller, ADA, false, false)).toEqual(kept)
  expect(await rowsWith(caller, ADA)).toEqual({
    dataset_items: 2,
    experiment_items: 2,
    scores: 2,
    steps: 4,
  })
})

test('a person is deleted whatever of their data was deleted before, in any order, or given to others', async () => {
  const change = fc.constantFrom(
    'thread',
    'step',
    'dataset',
    'item',
    'itemOfRun',
    'run',
    'experiment',
    'to bob',
    'to nobody',
    'moves',
    'leaves',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 6 }), async (changes) => {
      const caller = newCaller()
      const made = await record(caller, ADA)
      await record(caller, BOB)
      const ofBob = await rowsWith(caller, BOB)
      const step = `${made.thread}-step`
      const work: Record<string, () => Promise<unknown>> = {
        thread: () => domain.threads.delete(caller, made.thread),
        step: () => domain.steps.delete(caller, step),
        dataset: () => domain.datasets.delete(caller, made.dataset),
        item: () => domain.datasets.deleteItem(caller, made.item),
        itemOfRun: () => domain.datasets.deleteItem(caller, made.itemOfRun),
        run: () => domain.steps.delete(caller, made.run),
        experiment: () => domain.experiments.delete(caller, made.experiment),
        'to bob': () => domain.threads.upsertAll(caller, [{ id: made.thread, participantId: BOB }]),
        'to nobody': () =>
          domain.threads.update(caller, made.thread, { participantId: null } as never),
        moves: () => domain.steps.ingest(caller, [{ id: step, threadId: 'of nobody' }]),
        leaves: () => domain.steps.ingest(caller, [{ id: step, threadId: null }]),
      }
      // Writing to a step or thread again that was deleted would record something new, without the person.
      const gone = new Set<string>()
      for (const one of changes) {
        if (
          ['thread', 'step'].some((deleted) => gone.has(deleted)) &&
          /bob|body|moves|leaves/.test(one)
        )
          continue
        await work[one]?.().catch((error) => {
          if (error.code !== 'NOT_FOUND') throw error
        })
        gone.add(one)
      }
      const dry = await erase(caller, ADA, true)
      const deleted = await erase(caller, ADA)
      expect(deleted).toEqual(dry)
      const left = await rowsWith(caller, ADA)
      // The name of a thread that is another one's now is theirs.
      if (deleted.threadsKept > 0) delete left.threads
      expect(left).toEqual({})
      const now = await rowsWith(caller, BOB)
      delete now.threads
      delete ofBob.threads
      expect(now).toEqual(ofBob)
    }),
    { numRuns: runs(40) },
  )
})

test('a step that was recorded elsewhere is nobody else’s, though a result names it as its run', async () => {
  const caller = newCaller()
  const { thread, experiment, item } = await record(caller, ADA)
  await domain.threads.upsert(caller, 'of bob', { participantId: BOB } as never)
  await say(caller, 'step of bob', 'of bob', `words of ${BOB}`)
  await stored(domain.steps.ingest(caller, [{ id: 'free', type: 'run' }]))
  for (const experimentRunId of ['step of bob', 'free'])
    await domain.experiments.createItem(caller, {
      datasetExperimentId: experiment,
      datasetItemId: item,
      experimentRunId,
      output: { words: ADA },
    } as never)
  // Its result is deleted in one case before the person, and in the other with them.
  await domain.datasets.deleteItem(caller, item)
  await domain.steps.delete(caller, `${thread}-step`)
  expect(await erase(caller, ADA)).toMatchObject({ users: 1, isComplete: true })
  expect(await rowsWith(caller, ADA)).toEqual({})
  for (const id of ['step of bob', 'step of bob-model', 'free'])
    expect(await domain.steps.find(caller, id)).not.toBeNull()
  expect(await erase(caller, BOB)).toMatchObject({ steps: 2, threads: 1 })
})

test('a thread that changed its user keeps the later one’s steps, and loses those of the first', async () => {
  const caller = newCaller()
  const update = (participantId: string | null) =>
    domain.threads.update(caller, 'shared', { participantId } as never)
  await domain.threads.upsert(caller, 'shared', { participantId: ADA } as never)
  await say(caller, 'first', 'shared', `words of ${ADA}`)
  await update('carl')
  await update(BOB)
  await say(caller, 'second', 'shared', `words of ${BOB}`)
  // Only the first and the present user have the step.
  expect(await erase(caller, 'carl')).toMatchObject({ users: 1, steps: 0, threads: 0 })
  expect(await erase(caller, ADA)).toMatchObject({ steps: 2, threads: 0, threadsKept: 1 })
  expect(await rowsWith(caller, `words of ${ADA}`)).toEqual({})
  expect(await domain.steps.find(caller, 'second')).not.toBeNull()
  expect(await erase(caller, BOB)).toMatchObject({ steps: 2, threads: 1, threadsKept: 0 })
})

test('a deletion that fails anywhere is continued by the next call', async () => {
  let statements = 3
  for (let isOver = false; !isOver; statements += 5) {
    const caller = newCaller()
    await record(caller, ADA)
    statementsUntilFault = statements
    isOver = await erase(caller, ADA).then(
      () => true,
      (error) => {
        expect(error.message).toBe('the fault of a test')
        return false
      },
    )
    statementsUntilFault = Number.POSITIVE_INFINITY
    await erase(caller, ADA)
    expect(await rowsWith(caller, ADA), `after ${statements} statements`).toEqual({})
  }
  expect(statements).toBeGreaterThan(30)
})

test('a call ends after its time, and further ones delete the rest', async () => {
  const caller = newCaller()
  await domain.threads.upsert(caller, 'long', { participantId: ADA } as never)
  const steps = Array.from({ length: 3000 }, (_, n) => ({
    id: `s${n}`,
    threadId: 'long',
    output: { words: ADA },
  }))
  await stored(domain.steps.ingest(caller, steps))
  const erasure = new Erasure(db, new Values(DEFAULT_LIMITS), 30)
  let calls = 0
  let deleted = 0
  for (let isComplete = false; !isComplete && calls < 1000; calls++) {
    const counts = await erasure.delete(caller, {
      identifier: ADA,
      copies: true,
      isDryRun: false,
    })
    deleted += counts.steps
    isComplete = counts.isComplete
  }
  expect(calls).toBeGreaterThan(1)
  expect(deleted).toBe(3000)
  expect(await rowsWith(caller, ADA)).toEqual({})
})

test('a call that others keep from every row beyond its time goes on until it has deleted some', async () => {
  const caller = newCaller()
  await domain.threads.upsert(caller, 'held', { participantId: ADA } as never)
  await stored(domain.steps.ingest(caller, [{ id: 's', threadId: 'held', output: ADA }]))
  lockedPortions = 3
  const seen = db.withPlugin(faults)
  const counts = await new Erasure(seen, new Values(DEFAULT_LIMITS), 1).delete(caller, {
    identifier: ADA,
    copies: true,
    isDryRun: false,
  })
  expect(lockedPortions).toBe(0)
  expect(counts.steps + counts.threads).toBeGreaterThan(0)
})

test('recording, copying and deleting a person at once fails nowhere, and afterwards one call deletes the rest', async () => {
  const caller = newCaller()
  const dataset = await domain.datasets.create(caller, { name: 'd' } as never)
  let isDeleting = true
  const threads = ['t1', 't2', 't3'].map((id) => ({ id, participantId: ADA }))
  const recording = async (worker: number) => {
    for (let n = 0; isDeleting || n < 10; n++) {
      await stored(domain.threads.upsertAll(caller, threads))
      const id = `s-${worker}-${n}`
      await say(caller, id, `t${(n % 3) + 1}`, ADA)
      await domain.datasets
        .addStep(caller, { datasetId: dataset.id, stepId: id } as never)
        // The step may be deleted by then.
        .catch((error) => expect(error.code).toBe('NOT_FOUND'))
    }
  }
  const deleting = (async () => {
    for (let n = 0; n < 3; n++) await erase(caller, ADA)
    isDeleting = false
  })()
  await Promise.all([recording(1), recording(2), deleting])
  await stored(domain.threads.upsertAll(caller, threads))
  expect((await erase(caller, ADA)).isComplete).toBe(true)
  expect(await rowsWith(caller, ADA)).toEqual({})
  expect(await erase(caller, ADA, true)).toEqual({ ...none(), isComplete: true })
})
