import fc from 'fast-check'
import { assertSameRun, fixtureOf, recordInMemory } from 'stepwell/testing'
import { expect, test } from 'vitest'
import { shapeDifferences } from '../src/testing/comparing/values.js'

// Each took minutes when its cost grew with the square of its size.
const recorded = async (output: unknown) => {
  const { stepwell, steps } = recordInMemory({ maxValueLength: 10_000_000 })
  await stepwell.trace('agent', (step) => {
    step.output = { output }
  })
  return steps
}

test('a text of 200,000 beginnings of tokens becomes a fixture as it is, and a token in it is masked', async () => {
  const beginnings = 'eyJhbGciOi-'.repeat(200_000)
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'
  const fixture = fixtureOf(await recorded(`${beginnings} ${token}, ${beginnings}.short.`))
  expect(fixture.steps[0]?.output).toEqual({
    output: `${beginnings} [secret], ${beginnings}.short.`,
  })
})

test('lists of thousands of rows are compared by structure', async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ id, tags: Array(20).fill(`${id}`) }))
  const fixture = fixtureOf(await recorded(rows(3000)))
  assertSameRun(await recorded(rows(3001)), fixture)
  const other = [...rows(3000), { id: 1, tags: 'none' }]
  await expect((async () => assertSameRun(await recorded(other), fixture))()).rejects.toThrow(
    'output.output[3000].tags: expected a list, got a text',
  )
})

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, 1, 'a', '[1]', '{"a":1}', true),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
  ),
}))

test('items that come again change nothing about the structure of a list', () => {
  fc.assert(
    fc.property(fc.array(value), fc.array(value), (expected, actual) => {
      const once = shapeDifferences('x', expected, actual)
      expect(shapeDifferences('x', [...expected, ...expected], actual)).toEqual(once)
      expect(shapeDifferences('x', actual, actual)).toEqual([])
    }),
  )
})
