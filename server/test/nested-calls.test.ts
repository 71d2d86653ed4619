import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Call, type Tokens, toldBelow } from '../src/domain/threads/nested-calls.js'

// The tokens of nested calls against a plain recomputation, which follows the definition call by call.

const COUNTS = ['tokens', 'inputTokens', 'outputTokens'] as const
type Count = (typeof COUNTS)[number]

/** Returns true when a step is above itself. */
const isInCircle = (calls: ReadonlyMap<string, Call>, call: Call): boolean => {
  let above = call.parentId
  for (let levels = 0; above !== null && levels <= calls.size; levels++) {
    if (above === call.id) return true
    above = calls.get(above)?.parentId ?? null
  }
  return false
}

const plainly = (all: readonly Call[], call: Call, count: Count): number => {
  const parts = all.filter(({ type }) => ['llm', 'embedding', 'undefined'].includes(type))
  const calls = new Map(parts.map((part) => [part.id, part]))
  const below = (id: string, kind: string): number =>
    parts
      .filter((part) => part.parentId === id && !isInCircle(calls, part))
      .reduce((sum, part) => sum + tellsOf(part, kind), 0)
  const tellsOf = (part: Call, kind: string): number => {
    if (part.type === 'undefined') return below(part.id, kind)
    return part.type === kind ? Math.max(part[count] ?? 0, below(part.id, kind)) : 0
  }
  if (call.type !== 'llm' && call.type !== 'embedding') return 0
  return Math.min(call[count] ?? 0, below(call.id, call.type))
}

const tokens = fc.option(fc.nat({ max: 9 }))
const tree = fc.integer({ min: 1, max: 14 }).chain((size) =>
  fc.tuple(
    ...Array.from({ length: size }, (_, index) =>
      fc.record({
        id: fc.constant(`${index}`),
        parentId: fc.option(fc.nat({ max: size }).map(String)),
        type: fc.constantFrom('llm', 'llm', 'embedding', 'undefined', 'undefined', 'tool'),
        tokens,
        inputTokens: tokens,
        outputTokens: tokens,
      }),
    ),
  ),
)

test('what calls in a call have told is as a plain recomputation says, for any tree, circles included', () => {
  fc.assert(
    fc.property(tree, (calls) => {
      const told = toldBelow(calls)
      for (const call of calls)
        for (const count of COUNTS)
          expect(told.get(call.id)?.[count] ?? 0).toBe(plainly(calls, call, count))
    }),
    { numRuns: 500 },
  )
})

test('what calls in a call have told does not depend on the order of the steps', () => {
  fc.assert(
    fc.property(
      tree.chain((calls) =>
        fc.tuple(fc.constant(calls), fc.shuffledSubarray(calls, { minLength: calls.length })),
      ),
      ([calls, shuffled]) => {
        const sorted = (told: ReadonlyMap<string, Readonly<Tokens>>) => [...told].sort()
        expect(sorted(toldBelow(shuffled))).toEqual(sorted(toldBelow(calls)))
      },
    ),
  )
})

test('a hundred thousand steps in one another are told apart in a time that is proportional to their number', () => {
  const none = { inputTokens: null, outputTokens: null }
  const calls = Array.from({ length: 100_000 }, (_, index) => ({
    id: `${index}`,
    parentId: index === 0 ? null : `${index - 1}`,
    type: index === 0 || index === 99_999 ? 'llm' : 'undefined',
    tokens: index === 0 ? 9 : index === 99_999 ? 7 : null,
    ...none,
  }))
  const begin = performance.now()
  expect(toldBelow(calls).get('0')).toEqual({ tokens: 7, ...none })
  // Milliseconds on a free machine; each with each would take minutes.
  expect(performance.now() - begin).toBeLessThan(5000)
})
