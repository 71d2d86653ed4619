import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordInMemory } from '../../src/testing/index.js'

class OwnPromise<Value> extends Promise<Value> {}

/** More calls than the stack has room for, with a layer for each. */
const MANY = 8000

test('a promise of a class of its own that is kept can be returned by any number of calls', async () => {
  const { stepwell, steps, clear } = recordInMemory({ maxValueLength: 100 })
  const kept = OwnPromise.resolve('connection')
  const connect = stepwell.traced(() => kept, { name: 'connect' })
  for (let call = 0; call < MANY; call++) {
    expect(await connect()).toBe('connection')
    if (call % 100 === 0) clear()
  }
  expect(connect()).toBe(kept)
  await kept
  expect(steps.at(-1)).toMatchObject({ isOpen: false, output: { output: 'connection' } })
})

test('a kept generator can be returned, and a kept iterable followed, by any number of calls', async () => {
  const { stepwell, clear } = recordInMemory()
  const turns = (function* () {
    for (;;) yield 'turn'
  })()
  const values = {
    async *[Symbol.asyncIterator]() {
      yield 'value'
    },
  }
  const next = stepwell.traced(() => turns, { name: 'next' })
  for (let call = 0; call < MANY; call++) {
    next()
    stepwell.trace('follow', (step) => step.until(values))
    if (call % 100 === 0) clear()
  }
  expect(turns.next()).toEqual({ done: false, value: 'turn' })
  const read: string[] = []
  for await (const value of values) read.push(value)
  expect(read).toEqual(['value'])
  await stepwell.close()
})

/** Returns a query that runs each time it is awaited, and the functions that end its runs. */
const newQuery = () => {
  const runs: ((value: number) => void)[] = []
  const query = {
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    then: (resolve: (value: number) => void) => void runs.push(resolve),
  }
  return { query: query as unknown as Promise<number>, runs }
}

test('each step of a kept query ends with the first run that is asked for after it, whatever the order', async () => {
  const event = fc.constantFrom('call', 'ask', 'end')
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 20 }), async (events) => {
      const { stepwell, steps } = recordInMemory()
      const { query, runs } = newQuery()
      const call = stepwell.traced(() => query, { name: 'query' })
      call()
      /** The expected values of the steps, in order of their calls. */
      const expected: (number | undefined)[] = [undefined]
      /** The steps before each run that has not ended. */
      const before: number[] = []
      let ended = 0
      for (const what of events) {
        if (what === 'call') {
          call()
          expected.push(undefined)
        } else if (what === 'ask') {
          void query.then(() => {})
          before.push(expected.length)
        } else if (ended < before.length) {
          for (let step = 0; step < (before[ended] as number); step++) expected[step] ??= ended
          runs[ended]?.(ended)
          ended++
        }
      }
      expect(runs).toHaveLength(before.length)
      expect(
        steps.map(({ isOpen, output }) =>
          isOpen ? undefined : (output as { output: number }).output,
        ),
      ).toEqual(expected)
    }),
  )
})

test('steps that return one generator, inside one another, each have its values', () => {
  const { stepwell, steps } = recordInMemory()
  const numbers = function* () {
    yield 'a'
    yield 'b'
  }
  const depth = fc.integer({ min: 1, max: 5 })
  fc.assert(
    fc.property(depth, (levels) => {
      const before = steps.length
      const enter = (level: number): Iterable<string> =>
        stepwell.trace('level', () => (level === 0 ? numbers() : enter(level - 1)))
      expect([...enter(levels)]).toEqual(['a', 'b'])
      expect(steps.slice(before).map(({ output }) => output)).toEqual(
        Array(levels + 1).fill({ output: 'ab' }),
      )
    }),
  )
})
