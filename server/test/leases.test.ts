import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import type { ExperimentResultInput } from '../../src/types.js'
import { eventually } from '../../test/support/eventually.js'
import { runs } from '../../test/support/runs.js'

let service: Service
let client: StepwellClient
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService()
  const { apiKey } = await service.createProject('runs')
  client = new StepwellClient({ apiKey, fetch: service.fetch })
  api = client.api
})
afterAll(() => service?.close())

const newRun = async () => (await api.createExperiment({ name: 'run' })).id
const places = (...keys: string[]) => keys.map((key) => ({ key, repetition: 1 }))
const lease = async (
  datasetExperimentId: string,
  holder: string,
  items: { key: string; repetition: number }[],
  options: { seconds?: number; takeOver?: boolean } = {},
) =>
  (
    await api.leaseExperimentItems({ datasetExperimentId, holder, items, seconds: 60, ...options })
  ).map(({ state }) => state)
const store = async (
  datasetExperimentId: string,
  holder: string,
  ...items: Omit<ExperimentResultInput, 'repetition'>[]
) => {
  const results = items.map((item) => ({ repetition: 1, ...item }))
  const run = { datasetExperimentId, holder, items: results }
  return (await api.createExperimentItems(run)).ids
}
const stored = async (experimentId: string) =>
  (await api.getExperimentItems({ experimentId, first: 1000 })).data

test('a lease of one process is held for the others, and each repetition has its own', async () => {
  const run = await newRun()
  expect(await lease(run, 'one', places('a', 'b'))).toEqual(['LEASED', 'LEASED'])
  expect(await lease(run, 'two', [...places('b', 'c'), { key: 'a', repetition: 2 }])).toEqual([
    'HELD',
    'LEASED',
    'LEASED',
  ])
  expect(await lease(run, 'one', places('a'))).toEqual(['LEASED'])
})

test('failed results are deleted with their scores, so that their items are free, and no others', async () => {
  const run = await newRun()
  await lease(run, 'one', places('good', 'bad', 'open'))
  const score = { name: 's', type: 'CODE', value: 1 } as const
  const failed = { key: 'bad', error: 'down', scores: [score] }
  await store(run, 'one', { key: 'good' }, failed)
  expect(await api.retryExperimentItems({ datasetExperimentId: run })).toBe(1)
  expect(await api.retryExperimentItems({ datasetExperimentId: run })).toBe(0)
  expect((await stored(run)).map(({ key }) => key)).toEqual(['good'])
  expect((await api.getScores({})).data).toEqual([])
  expect(await lease(run, 'two', places('good', 'bad', 'open'))).toEqual(['DONE', 'LEASED', 'HELD'])
  expect(await store(run, 'one', { key: 'bad' })).toEqual([null])
  await store(run, 'two', { key: 'bad' })
  expect((await stored(run)).map(({ key }) => key)).toEqual(['good', 'bad'])
})

test('two processes that retry at once delete each failed result once', async () => {
  const run = await newRun()
  const keys = Array.from({ length: 1500 }, (_, index) => `k${index}`)
  for (const part of [keys.slice(0, 1000), keys.slice(1000)]) {
    await lease(run, 'one', places(...part))
    await store(run, 'one', ...part.map((key) => ({ key, error: 'down' })))
  }
  const retry = async () => {
    let sum = 0
    for (let count = -1; count !== 0; ) {
      count = await api.retryExperimentItems({ datasetExperimentId: run })
      sum += count
    }
    return sum
  }
  const [one, other] = await Promise.all([retry(), retry()])
  expect(one + other).toBe(1500)
  expect(await stored(run)).toEqual([])
})

test('a lease tells the milliseconds that are left by the clock of the service', async () => {
  const run = await newRun()
  const params = { datasetExperimentId: run, items: places('a'), seconds: 60 }
  const [own] = await api.leaseExperimentItems({ ...params, holder: 'one' })
  const [other] = await api.leaseExperimentItems({ ...params, holder: 'two' })
  expect(own?.remainingMs).toBeCloseTo(60_000, -2)
  expect(other?.remainingMs).toBeLessThanOrEqual(60_000)
  expect(other?.remainingMs).toBeGreaterThan(0)
})

test('an item whose lease has ended goes to the next process, and the result of the first is not stored', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a'), { seconds: 1 })
  await eventually(async () => expect(await lease(run, 'two', places('a'))).toEqual(['LEASED']))
  expect(await store(run, 'one', { key: 'a' })).toEqual([null])
  expect(await stored(run)).toEqual([])
  const [id] = await store(run, 'two', { key: 'a' })
  expect(await stored(run)).toMatchObject([{ id, key: 'a', repetition: 1 }])
})

test('a lease that ended still stores a result, as long as no other process has it', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a'))
  expect(await lease(run, 'one', places('a'), { seconds: 0 })).toEqual(['FREE'])
  const [id] = await store(run, 'one', { key: 'a' })
  expect(id).toEqual(expect.any(String))
})

test('a process gives back its own leases only', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a'))
  expect(await lease(run, 'two', places('a', 'b'), { seconds: 0 })).toEqual(['HELD', 'FREE'])
  expect(await lease(run, 'one', places('a'), { seconds: 0 })).toEqual(['FREE'])
  expect(await lease(run, 'two', places('a'))).toEqual(['LEASED'])
})

test('a takeover gets the items that another process has, but none with a result', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a', 'b'))
  await store(run, 'one', { key: 'b' })
  expect(await lease(run, 'two', places('a', 'b'), { takeOver: true })).toEqual(['LEASED', 'DONE'])
  expect(await store(run, 'one', { key: 'a' })).toEqual([null])
})

test('a result that is sent again is stored once, and has the same id', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a'))
  const first = await store(run, 'one', { key: 'a' })
  expect(await store(run, 'one', { key: 'a' })).toEqual(first)
  expect(await stored(run)).toHaveLength(1)
})

test('a result without a lease is not stored', async () => {
  const run = await newRun()
  expect(await store(run, 'one', { key: 'a' })).toEqual([null])
  expect(await stored(run)).toEqual([])
})

test('a batch with an invalid score is refused as a whole, and its items can be sent again', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a', 'b'))
  const scores = [{ name: 'quality', type: 'CODE', value: 1, datasetExperimentItemId: 'another' }]
  const query = `mutation($items: [ExperimentResultInput!]!) {
    createDatasetExperimentItems(datasetExperimentId: "${run}", holder: "one", items: $items) { ids } }`
  const items = [
    { key: 'a', repetition: 1 },
    { key: 'b', repetition: 1, scores },
  ]
  await expect(client.query(query, { items })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('items[1].scores[0].datasetExperimentItemId'),
  })
  expect(await stored(run)).toEqual([])
  expect(await store(run, 'one', { key: 'a' }, { key: 'b' })).toHaveLength(2)
})

test('a result has its values, error and scores', async () => {
  const run = await newRun()
  await lease(run, 'one', [{ key: 'a', repetition: 3 }])
  await api.createExperimentItems({
    datasetExperimentId: run,
    holder: 'one',
    items: [
      {
        key: 'a',
        repetition: 3,
        experimentRunId: 'later',
        input: { question: 'Ω\u0000' },
        output: { z: 1, a: null },
        error: 'a scorer failed',
        scores: [{ name: 'quality', type: 'CODE', value: 0.5, comment: 'so so' }],
      },
    ],
  })
  expect(await stored(run)).toMatchObject([
    {
      key: 'a',
      repetition: 3,
      experimentRunId: 'later',
      input: { question: 'Ω\u0000' },
      output: { z: 1, a: null },
      error: 'a scorer failed',
      scores: [{ name: 'quality', value: 0.5, comment: 'so so' }],
    },
  ])
})

test('experiments of the same identity are one, also when they are created at once', async () => {
  const created = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      api.createExperiment({ name: `n${index}`, identity: 'the same' }),
    ),
  )
  expect(new Set(created.map(({ id }) => id)).size).toBe(1)
  expect((await api.createExperiment({ name: 'n', identity: 'another' })).id).not.toBe(
    created[0]?.id,
  )
  expect(await newRun()).not.toBe(await newRun())
})

test('leases of a deleted experiment are gone with it', async () => {
  const run = await newRun()
  await lease(run, 'one', places('a'))
  await api.deleteExperiment(run)
  await expect(lease(run, 'one', places('a'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('whatever processes do at once, an item has at most one result, which came from its last holder', async () => {
  const holders = ['one', 'two', 'three']
  const action = fc.record({
    holder: fc.constantFrom(...holders),
    keys: fc.uniqueArray(fc.constantFrom('a', 'B', 'c', 'D'), { minLength: 1 }),
    does: fc.constantFrom('lease', 'lease', 'take over', 'give back', 'store'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 6 }), { maxLength: 6 }),
      async (rounds) => {
        const run = await newRun()
        const ids = new Map<string, string>()
        for (const round of rounds)
          await Promise.all(
            round.map(async ({ holder, keys, does }) => {
              if (does !== 'store') {
                const options = {
                  takeOver: does === 'take over',
                  seconds: does === 'give back' ? 0 : 60,
                }
                await lease(run, holder, places(...keys), options)
                return
              }
              const given = await store(run, holder, ...keys.map((key) => ({ key })))
              for (const [index, id] of given.entries())
                if (id !== null) {
                  const key = keys[index] as string
                  expect(ids.get(key) ?? id).toBe(id)
                  ids.set(key, id)
                }
            }),
          )
        const results = await stored(run)
        expect(new Map(results.map(({ key, id }) => [key, id]))).toEqual(ids)
        expect(results).toHaveLength(ids.size)
      },
    ),
    { numRuns: runs(60) },
  )
})

test('many processes at once lease each item once', async () => {
  const run = await newRun()
  const keys = Array.from({ length: 200 }, (_, index) => `item ${index}`)
  const got = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const own = index % 2 === 0 ? keys : keys.toReversed()
      const states = await lease(run, `holder ${index}`, places(...own))
      return own.filter((_, place) => states[place] === 'LEASED')
    }),
  )
  expect(got.flat().sort()).toEqual([...keys].sort())
})
