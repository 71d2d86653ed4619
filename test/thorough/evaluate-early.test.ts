import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EvaluateOptions, evaluate, scorer } from '../../src/evaluate/index.js'
import type { StepwellClient } from '../../src/index.js'
import { random } from '../../src/statistics/index.js'
import { exitOf, lookedAt } from '../support/decide/exit-codes.js'
import { runWorld, type World } from '../support/decide/worlds.js'
import { runs } from '../support/runs.js'
import { useService } from '../support/service.js'

const world = useService()

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `${index}`, input: index }))

/** Runs 120 items, each of which passes by its number. */
const run = (
  client: StepwellClient,
  release: string,
  passes: (number: number) => boolean,
  options: Partial<EvaluateOptions> = {},
) =>
  evaluate({
    progress: false,
    name: 'early',
    client,
    release,
    data: itemsOf(120),
    task: ({ input }) => passes(Number(input)),
    scorers: [scorer({ name: 'right', version: '1', score: ({ output }) => output === true })],
    decide: { metric: 'right', stopEarly: true },
    ...options,
  })

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('two processes that share a run stop with the same verdict after the same items', async () => {
  const ITEMS = 500
  const client = await world.newClient()
  await run(client, '1', (number) => number % 3 === 0, { data: itemsOf(ITEMS) })
  let ran = 0
  const shard = (slowness: number) =>
    run(client, '2', () => true, {
      data: itemsOf(ITEMS),
      concurrency: 4,
      task: async ({ input }) => {
        ran++
        // The first items decide; the others would take half a minute, so that there is time to look, on a busy machine too.
        await pause(ran > 200 ? 1000 : (Number(input) * slowness) % 23)
        return true
      },
    })
  const [one, other] = await Promise.all([shard(7), shard(13)])
  expect(one).toMatchObject({ status: 'decided', exitCode: 0, decision: { verdict: 'better' } })
  expect(other.decision).toEqual(one.decision)
  expect(other.exitCode).toBe(one.exitCode)
  expect(ran).toBeLessThan(ITEMS)
})

test('results that others stored after a verdict change neither the verdict nor its reason', async () => {
  const client = await world.newClient()
  await run(client, '1', (number) => number % 3 === 0)
  const first = await run(client, '2', () => true)
  expect(first.status).toBe('decided')
  const whole = await run(client, '2', () => true, { decide: { metric: 'right' } })
  expect(whole.results).toHaveLength(120)
  const again = await run(client, '2', () => true)
  expect(again.results).toHaveLength(120)
  expect(again.decision).toEqual(first.decision)
})

test('quick failures do not make equal runs look worse', async () => {
  const client = await world.newClient()
  // As many pass in both runs, but others; those that fail end first.
  await run(client, '1', (number) => number % 2 === 0)
  const { decision, exitCode } = await run(client, '2', () => true, {
    concurrency: 60,
    task: async ({ input }) => {
      const isPassed = Math.floor(Number(input) / 2) % 2 === 0
      await pause(isPassed ? 200 : 0)
      return isPassed
    },
  })
  expect([decision?.verdict, exitCode]).toEqual(['cannot tell', 2])
})

test('a run that would hardly be decided by the rest ends early, and says so', async () => {
  const client = await world.newClient()
  await run(client, '1', (number) => number % 2 === 0)
  const ended = await run(client, '2', (number) => Math.floor(number / 2) % 2 === 0, {
    concurrency: 1,
  })
  expect(ended).toMatchObject({
    status: 'decided',
    exitCode: 2,
    decision: { verdict: 'cannot tell' },
  })
  expect(ended.decision?.reason).toMatch(/^After \d+ items, the others would hardly have decided/)
  expect(ended.results.length).toBeLessThan(100)
})

test('a budget that ends a run is followed by a last look at the items that are there', async () => {
  const client = await world.newClient()
  await run(client, '1', () => false)
  const ended = await run(client, '2', (number) => number % 3 > 0, {
    concurrency: 1,
    budget: { items: 8 },
  })
  expect(ended.status).toBe('over budget')
  expect(ended.results).toHaveLength(8)
  expect(ended.decision?.reason).toContain('The difference lies between')
})

test('scores of any size are looked at early', async () => {
  const client = await world.newClient()
  const seconds = (release: string, factor: number) =>
    run(client, release, () => true, {
      concurrency: 1,
      task: ({ input }) => factor * (200 + Number(input)),
      scorers: [
        scorer({
          name: 'right',
          version: '1',
          better: 'lower',
          score: ({ output }) => Number(output),
        }),
      ],
    })
  await seconds('1', 1)
  expect(await seconds('2', 0.5)).toMatchObject({
    status: 'decided',
    decision: { verdict: 'better' },
  })
})

test('results in any order end with the same verdict after the same items', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: -8, max: 8 }),
      fc.constantFrom(1, 4),
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      (seed, shift, groupSize, keys) => {
        const runs = runWorld(
          { kinds: ['binary'], items: 60, groupSize, shift: shift / 4 },
          random(seed),
        )
        const ordered = lookedAt(runs, 0.05)
        for (const result of ordered.results) ordered.early.add(result)
        const shuffled = lookedAt(runs, 0.05)
        const mixed = shuffled.results
          .map((result, place) => ({ result, key: keys[place] ?? 0 }))
          .sort((one, other) => one.key - other.key)
        for (const { result } of mixed) {
          shuffled.early.add(result)
          shuffled.early.add(result)
        }
        expect(shuffled.early.end()).toEqual(ordered.early.end())
      },
    ),
    { numRuns: runs(40) },
  )
})

test('a loss of ten points in grouped items ends with exit code 1 or 2, and with 1 when items are many', () => {
  const codes = (items: number, rounds: number, stopEarly: boolean) => {
    const loss: World = { kinds: ['binary'], items, groupSize: 5, level: 1.812, shift: -0.622 }
    const next = random(5)
    const counts = [0, 0, 0, 0]
    for (let round = 0; round < rounds; round++) {
      const { code } = exitOf(runWorld(loss, next), { margin: 0.05, stopEarly })
      counts[code] = (counts[code] ?? 0) + 1 / rounds
    }
    return counts
  }
  for (const stopEarly of [false, true]) {
    const [passed = 1] = codes(50, 100, stopEarly)
    expect(passed).toBeLessThan(0.06)
    const [wrong = 1, worse = 0] = codes(600, 20, stopEarly)
    expect(wrong).toBe(0)
    expect(worse).toBeGreaterThan(0.75)
  }
})
