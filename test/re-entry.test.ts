import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Mask, StepwellClient } from '../src/index.js'
import { recordInMemory } from '../src/testing/index.js'

const CARD = '4111-1111'
/** Calls after which a mask or a sampling function counts as one that calls itself. */
const MANY = 10_000

const hide = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(CARD, '[card]'))

/** The ways in which a function of the application records its work. */
const ways: Record<string, (client: StepwellClient, value: unknown) => unknown> = {
  trace: (client, value) => client.trace('redact', () => hide(value)),
  traced: (client, value) => client.traced(hide, { name: 'redact' })(value),
  nested: (client, value) =>
    client.trace('redact', (step) => step.trace('inner', () => hide(value))),
  step: (client, value) => {
    client.step({ name: 'redact', input: value }).end()
    return hide(value)
  },
  generator: (client, value) => {
    const turns = client.traced(function* redact() {
      yield value
    })
    return hide([...turns()][0])
  },
  // Goes on after the mask.
  promise: (client, value) => {
    void client.trace('redact', async (step) => {
      await null
      step.trace('inner', () => value)
    })
    return hide(value)
  },
  thread: (client, value) => {
    void client.thread({ id: 'redact', name: CARD }).wrap(() => value)
    return hide(value)
  },
  score: (client, value) => {
    const score = { name: 'redact', type: 'CODE', value: 1, comment: CARD } as const
    client.thread({ id: 'redact' }).score(score)
    return hide(value)
  },
  attachment: (client, value) => {
    client.currentStep?.attach({ id: 'a', name: CARD })
    return hide(value)
  },
}

/** The steps of an application: each has the steps inside it. */
interface Tree {
  inside: Tree[]
}
const around = (inner: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> =>
  fc.record({ inside: fc.array(inner, { maxLength: 2 }) })
const tree = around(around(fc.constant({ inside: [] })))
const sizeOf = ({ inside }: Tree): number => inside.reduce((sum, inner) => sum + sizeOf(inner), 1)

const run = async (client: StepwellClient, { inside }: Tree): Promise<string> =>
  client.trace({ name: 'work', input: { card: CARD } }, async () => {
    for (const inner of inside) await run(client, inner)
    return CARD
  })

test('a mask may call anything that records: only the application’s own steps are recorded, all masked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(ways)), tree, async (way, work) => {
      let calls = 0
      const mask: Mask = (value) => {
        if (++calls > MANY) throw new Error('the mask calls itself')
        return ways[way]?.(stepwell, value)
      }
      const { stepwell, steps, threads } = recordInMemory({ mask })
      await run(stepwell, work)
      await stepwell.flush()
      expect(calls).toBeLessThan(MANY)
      expect(steps.map(({ name }) => name)).toEqual(Array(sizeOf(work)).fill('work'))
      expect(steps.every(({ output }) => JSON.stringify(output).includes('[card]'))).toBe(true)
      expect(JSON.stringify([steps, threads])).not.toContain(CARD)
      expect(threads).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('a step of the application that its mask ends has its values withheld, and once more in full', () => {
  const { stepwell, steps } = recordInMemory({
    mask: (value) => {
      stepwell.currentStep?.end()
      return hide(value)
    },
  })
  stepwell.trace('outer', (outer) => {
    outer.input = { card: CARD }
    stepwell.trace('inner', () => 1)
    expect(steps[0]).toMatchObject({ input: { withheld: '[withheld: the mask failed]' } })
  })
  expect(steps.map(({ input }) => input)).toEqual([{ card: '[card]' }, undefined])
})

test('a sampling function may call anything that records: it decides once for each trace', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(ways)),
      fc.boolean(),
      tree,
      async (way, isKept, work) => {
        let calls = 0
        const { stepwell, steps, threads } = recordInMemory({
          sample: (step) => {
            if (++calls > MANY) throw new Error('the function calls itself')
            ways[way]?.(stepwell, step.name)
            return isKept
          },
        })
        await run(stepwell, work)
        await stepwell.flush()
        expect(calls).toBe(1)
        expect(threads).toEqual([])
        expect(steps.map(({ name }) => name)).toEqual(Array(isKept ? sizeOf(work) : 0).fill('work'))
      },
    ),
    { numRuns: 40 },
  )
})
