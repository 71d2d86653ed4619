import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'

const scores = (count: number, comment = '') =>
  Array.from({ length: count }, (_, at) => ({
    name: `s${at}`,
    type: 'AI' as const,
    value: 0.5,
    comment,
  }))

test.each([
  [20_000, ''],
  [30, 'x'.repeat(50_000)],
])('%i scores of a step are kept, though longer together than a value may be', (count, comment) => {
  const { stepwell, steps } = recordInMemory()
  stepwell.step({ name: 'judged', scores: scores(count, comment) }).end()
  expect(steps[0]?.scores).toHaveLength(count)
  expect(steps[0]?.metadata ?? {}).not.toHaveProperty('withheld')
})

test('scores beyond three times the length of a value are left out, and the step says how many', () => {
  const { stepwell, steps } = recordInMemory()
  stepwell.step({ name: 'judged', scores: scores(100, 'x'.repeat(50_000)) }).end()
  const kept = steps[0]?.scores?.length ?? 0
  expect(kept).toBeGreaterThan(50)
  expect(kept).toBeLessThan(60)
  expect(steps[0]?.metadata).toEqual({ withheld: { scores: `${100 - kept} of 100: too long` } })
})
