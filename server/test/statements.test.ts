import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StepInput, ThreadInput } from '../generated/resolvers.js'
import { openDatabase } from '../src/database/database.js'
import { PORTION } from '../src/database/rows/insertion.js'
import { createDomain, type Domain } from '../src/domain/domain.js'
import { parseStepPatch } from '../src/domain/ingestion/step-patch.js'
import { Values } from '../src/domain/values.js'
import type { Caller } from '../src/kernel/caller.js'
import { createClock } from '../src/kernel/instant.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { receiveSpans } from '../src/otlp/receive.js'
import { newDatabase } from './support/new-database.js'
import { spanOf } from './support/spans.js'

let sent = 0
const counter: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    // A portion of an insertion belongs to the statement of the last one.
    if (result.numAffectedRows !== BigInt(PORTION)) sent++
    return result
  },
}

const values = new Values(DEFAULT_LIMITS)
let domain: Domain
let close: () => Promise<void>
beforeAll(async () => {
  const { location, drop } = await newDatabase()
  const db = await openDatabase(location)
  domain = createDomain(db.withPlugin(counter), createClock(), DEFAULT_LIMITS, {
    writers: 1,
    commitMs: 60_000,
    report: (error) => {
      throw error
    },
    wrote: () => undefined,
    places: { database: 'embedded', databasePlace: null, files: 'folder', filesPlace: null },
  })
  close = async () => {
    await db.destroy()
    await drop()
  }
})
afterAll(() => close?.())

const callerOf = (projectId: string) =>
  ({ projectId, environment: 'prod', scopes: ['admin'] }) as unknown as Caller
const caller = callerOf('p')

const statementsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = sent
  await work()
  await domain.ingestion.idle()
  return sent - before
}

const list = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index))

const score = (name: string, id?: string) => ({
  name,
  type: 'AI' as const,
  value: 1,
  ...(id === undefined ? {} : { id }),
})
const CLEARED = ['name', 'input', 'output', 'metadata', 'error', 'tags', 'startTime', 'parentId']

/** Steps of different kinds. The numbers in ids have the same width, so that batches differ in size only. */
const shapes: Record<string, (n: number) => Partial<StepInput>> = {
  'bare steps': () => ({}),
  'steps of a thread each': (n) => ({ threadId: `thread-${n}` }),
  'steps that move between threads': (n) => ({ id: 'moves', threadId: `to-${n}` }),
  'steps that leave their threads': () => ({ threadId: null }),
  'steps that each clear something else': (n) =>
    Object.fromEntries(
      CLEARED.filter((_, bit) => (n >> bit) % 2 === 1).map((name) => [name, null]),
    ),
  'steps of a score each': () => ({ scores: [score('quality')] }),
  'steps of scores with ids and without': (n) => ({
    scores: [score('quality'), score('quality', `score-${n}`), score(`own ${n}`)],
  }),
  'steps of files': (n) => ({ attachments: [{ id: `file-${n}`, name: 'f', url: 'https://x/' }] }),
  'steps of a session each': (n) => ({ sessionId: `session-${n}`, sequence: 1 }),
  'parts of one step, each with a score and a file': (n) => ({
    id: 'one',
    scores: [score(`s ${n}`)],
    attachments: [{ id: `of-one-${n}`, name: 'f', url: 'https://x/' }],
  }),
}

test.each(Object.keys(shapes))(
  'the statements of a batch do not grow with it: %s',
  async (name) => {
    const shape = shapes[name] as (n: number) => Partial<StepInput>
    const ingest = (size: number, first: number) =>
      statementsOf(async () => {
        const steps = list(size, (index) => ({
          id: `${name}-${first + index}`,
          ...shape(first + index),
        }))
        const outcomes = await domain.steps.ingest(caller, steps)
        expect(new Set(outcomes.map(({ refusal }) => refusal))).toEqual(new Set([null]))
      })
    await ingest(8, 0)
    const small = await ingest(16, 100)
    expect(await ingest(4 * PORTION + 16, 1000)).toBe(small)
  },
)

test('the statements do not grow with the projects that share a commit', async () => {
  // Stored by one call, so that all of them share a commit, however busy the machine is.
  const ingest = (size: number) =>
    statementsOf(() =>
      domain.ingestion.store(
        list(size, (index) =>
          [
            { id: 's', name: null, scores: [score('q')] },
            { id: 't', threadId: null },
          ].map((step) => parseStepPatch(values, callerOf(`project-${index}`), step)),
        ).flat(),
      ),
    )
  expect(await ingest(PORTION + 8)).toBe(await ingest(2))
})

test('the statements do not grow with its threads, their users and their values', async () => {
  const upsert = (size: number, first: number) =>
    statementsOf(async () => {
      const threads = list(size, (index): ThreadInput => {
        const n = first + index
        const all = { name: `n ${n}`, metadata: { n }, tags: ['t'], participantId: `user ${n}` }
        const given = Object.entries(all).filter((_, bit) => n % 16 === 15 || (n >> bit) % 2 === 1)
        return { id: `t-${n}`, ...Object.fromEntries(given) }
      })
      const outcomes = await domain.threads.upsertAll(caller, threads)
      expect(new Set(outcomes.map(({ refusal }) => refusal))).toEqual(new Set([null]))
    })
  const small = await upsert(16, 0)
  expect(await upsert(256, 1600)).toBe(small)
})

test('the statements do not grow with the spans of a request, each with a trace of its own', async () => {
  const receive = (size: number) =>
    statementsOf(() =>
      receiveSpans(
        domain,
        caller,
        list(size, (n) =>
          spanOf({ traceId: `${size}${n}`.padStart(32, '1'), spanId: `${n}`.padStart(16, '1') }),
        ),
        () => undefined,
      ),
    )
  expect(await receive(200)).toBe(await receive(10))
})

test('the statements do not grow with scores of createScores, up to what one statement takes', async () => {
  const create = (size: number) =>
    statementsOf(() =>
      domain.scores.createAll(
        caller,
        list(size, (n) => ({ ...score('q'), stepId: `s-${n}` })),
      ),
    )
  expect(await create(500)).toBe(await create(5))
})
