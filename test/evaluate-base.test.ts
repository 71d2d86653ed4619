import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type EvaluateOptions,
  evaluate,
  formatTable,
  judge,
  scorer,
} from '../src/evaluate/index.js'
import type { StepwellClient } from '../src/index.js'
import { useService } from './support/service.js'

const world = useService()
const right = scorer({ name: 'right', version: '1', score: ({ output }) => Number(output) })
const run = (client: StepwellClient, release: string, options: Partial<EvaluateOptions> = {}) =>
  evaluate({
    name: 'base',
    client,
    release,
    progress: false,
    data: Array.from({ length: 20 }, (_, index) => ({ key: `item ${index}`, input: index })),
    task: () => 1,
    scorers: [right],
    decide: { metric: 'right', margin: 0.05 },
    ...options,
  })

test('a broken run is not the previous one of the next gate', async () => {
  const client = await world.newClient()
  const good = await run(client, '1')
  const task = ({ input }: { input: unknown }) => {
    if (Number(input) % 2 === 0) throw new Error('down')
    return 1
  }
  expect(await run(client, '2', { task })).toMatchObject({ status: 'broken' })
  const other = scorer({ name: 'other', version: '1', score: () => 1 })
  expect(await run(client, '3', { scorers: [other] })).toMatchObject({ status: 'broken' })
  expect(await run(client, '4', { task: () => 0 })).toMatchObject({
    exitCode: 1,
    comparison: { baseId: good.experimentId },
    decision: { verdict: 'worse' },
  })
})

test.each([false, true])(
  'only the repetitions that both runs have are compared, with stopEarly %s',
  async (stopEarly) => {
    const client = await world.newClient()
    const task: EvaluateOptions['task'] = (_, { repetition }) => (repetition === 1 ? 1 : 0)
    await run(client, '1', { task, repetitions: 3 })
    const single = await run(client, '2', {
      task,
      decide: { metric: 'right', margin: 0.05, stopEarly },
    })
    expect(single.comparison?.scores.right).toMatchObject({ difference: 0, items: 20 })
    expect(single.decision?.difference).toBe(0)
  },
)

test('a score outside the range of the gate is an error of its item, by the name of the score', async () => {
  const decide = { metric: 'right', margin: 0.05, stopEarly: true, range: { low: 0, high: 1 } }
  const { results, problem } = await run(await world.newClient(), '1', { task: () => 5, decide })
  expect(results[0]).toMatchObject({
    error: 'right: expected a score from 0 to 1, the range of decide',
    scores: [],
  })
  expect(problem).toContain('right: expected a score from 0 to 1')
})

test('an earlier run with a score outside the range is refused before any item runs', async () => {
  const client = await world.newClient()
  await run(client, '1', { task: () => 5 })
  const decide = { metric: 'right', margin: 0.05, range: { low: 0, high: 1 } }
  let calls = 0
  const task = () => ++calls
  await expect(run(client, '2', { task, decide })).rejects.toThrow(/^right: expected a score/)
  expect(calls).toBe(0)
})

test('the range of the gate decides without stopEarly, too', async () => {
  const client = await world.newClient()
  await run(client, '1')
  const decided = (release: string, high: number) =>
    run(client, release, { decide: { metric: 'right', margin: 0.05, range: { low: 0, high } } })
  const narrow = await decided('2', 1)
  const wide = await decided('3', 100)
  expect(wide.decision?.interval).not.toEqual(narrow.decision?.interval)
})

test('a stopped run and one over its budget are not the previous one, and without a sound one the gate does not pass', async () => {
  const client = await world.newClient()
  const stop = new AbortController()
  const task: EvaluateOptions['task'] = ({ input }) => {
    if (Number(input) === 5) stop.abort()
    return 1
  }
  const stopped = { task, signal: stop.signal, concurrency: 1 }
  expect(await run(client, '1', stopped)).toMatchObject({ status: 'stopped' })
  expect(await run(client, '2', { budget: { items: 5 }, concurrency: 1 })).toMatchObject({
    status: 'over budget',
    exitCode: 2,
  })
  const { data } = await client.api.getExperiments()
  expect(data.map(({ status }) => status)).toEqual(['OVER_BUDGET', 'STOPPED'])
  const sound = await run(client, '3')
  expect(sound).toMatchObject({
    status: 'complete',
    exitCode: 2,
    comparison: null,
    decision: { verdict: 'no sound run before' },
  })
  expect(sound.decision?.reason).toContain('All 2 earlier runs of its name')
  expect(await run(client, '4')).toMatchObject({
    comparison: { baseId: sound.experimentId },
  })
})

test('duration, tokens and errors are compared, and are in every report', async () => {
  const client = await world.newClient()
  const answer =
    (tokenCount: number): EvaluateOptions['task'] =>
    (_, { stepwell }) => {
      stepwell
        .step({ type: 'llm', generation: { type: 'CHAT', model: 'm', tokenCount } as never })
        .end()
      return 1
    }
  await run(client, '1', { task: answer(100) })
  const folder = await mkdtemp(join(tmpdir(), 'reports-'))
  const files = { junit: join(folder, 'a.xml'), markdown: join(folder, 'a.md') }
  const evaluation = await run(client, '2', { task: answer(400), files })
  expect(evaluation.comparison?.measures.tokens).toMatchObject({
    base: 100,
    candidate: 400,
    verdict: 'worse',
  })
  expect(evaluation.results[0]).toMatchObject({ tokens: 400, cost: null })
  expect(evaluation.measures.find(({ name }) => name === 'durationMs')?.count).toBe(20)
  expect(formatTable(evaluation)).toMatch(/tokens +400 +20 +100 +\+300 .* worse/)
  expect(await readFile(files.markdown, 'utf8')).toMatch(/\| tokens \| 400 \| \+300 \|/)
  const junit = await readFile(files.junit, 'utf8')
  expect(junit).toMatch(/name="item 0" time="\d+\.\d{3}"/)
  expect(junit).toContain('tokens: 100 before, 400 now: worse')
  await rm(folder, { recursive: true })
})

test('calls of judges count in the limits of an item, and not in its tokens', async () => {
  const client = await world.newClient()
  const greedy = judge({
    name: 'greedy',
    criteria: 'any',
    call: async () => {
      const generation = { type: 'CHAT', model: 'm', tokenCount: 900 } as never
      client.step({ type: 'llm', generation }).end()
      await new Promise((resolve) => setTimeout(resolve, 5))
      return '{"choice": "yes"}'
    },
  })
  const options = { decide: undefined, scorers: [greedy], data: [{ key: 'a', input: 1 }] }
  const within = await run(client, '1', options)
  expect(within).toMatchObject({ errors: 0, usage: { tokens: 900 } })
  expect(within.results[0]?.tokens).toBe(0)
  const { results } = await run(client, '2', { ...options, limits: { tokens: 500 } })
  expect(results[0]?.error).toBe('greedy: the item took more than 500 tokens (900)')
})
