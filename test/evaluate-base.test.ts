import { expect, test } from 'vitest'
import { type EvaluateOptions, evaluate, scorer } from '../src/evaluate/index.js'
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
  const decide = { metric: 'right', margin: 0.05, stopEarly: true }
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
