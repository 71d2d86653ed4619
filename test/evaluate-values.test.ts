import { expect, test } from 'vitest'
import { type EvaluateOptions, evaluate } from '../src/evaluate/index.js'
import { useService } from './support/service.js'

const world = useService()
const run = async (options: Partial<EvaluateOptions>) =>
  evaluate({
    name: 'values',
    client: await world.newClient(),
    release: 'r1',
    progress: false,
    data: [{ key: 'one', input: 1 }],
    task: ({ input }) => input,
    scorers: [],
    ...options,
  })
const fail = () => {
  throw new Error('a trap')
}
const trapped = new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail, ownKeys: fail })

test('a task that throws a proxy whose traps throw fails its item, and no other', async () => {
  const { results } = await run({
    data: [
      { key: 'one', input: 1 },
      { key: 'two', input: 2 },
    ],
    task: ({ input }) => {
      if (input === 1) throw trapped
      return input
    },
  })
  expect(results.map(({ key, error }) => [key, error])).toEqual([
    ['one', 'an unreadable error'],
    ['two', null],
  ])
})

test('a cluster that throws is named with the item', async () => {
  await expect(run({ cluster: fail })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'cluster: failed for the item one',
  })
})

const circular: Record<string, unknown> = {}
circular.self = circular
test.each([[{ n: 1n }], [circular]])(
  'an input that JSON has not is named by its key',
  async (input) => {
    await expect(run({ data: [{ key: 'odd', input }] })).rejects.toThrow(/in the item odd$/)
    await expect(run({ data: [{ input }] })).rejects.toThrow(/in data\[0\]$/)
  },
)
