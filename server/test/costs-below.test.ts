import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CostOfStep, costsWithBelow } from '../src/domain/prices/costs-below.js'

const COUNT = 12
const steps = fc
  .array(
    fc.record({
      parent: fc.option(fc.nat({ max: COUNT })),
      cost: fc.option(fc.nat({ max: 1000 })),
      unpriced: fc.boolean(),
    }),
    { maxLength: COUNT },
  )
  .map((given) =>
    given.map(
      ({ parent, cost, unpriced }, index): CostOfStep => ({
        id: `${index}`,
        parentId: parent === null ? null : `${parent}`,
        cost,
        unpriced,
      }),
    ),
  )

/** Returns a step and all below it, each once, by a walk of its own. */
const below = (all: readonly CostOfStep[], id: string, seen = new Set<string>()): Set<string> => {
  if (seen.has(id)) return seen
  seen.add(id)
  for (const step of all) if (step.parentId === id) below(all, step.id, seen)
  return seen
}

test('a step costs what the walk below it adds up, in any order of the steps, and with circles', () => {
  fc.assert(
    fc.property(steps, fc.func(fc.boolean()), (all, isOpen) => {
      const open = new Set(all.flatMap(({ id }) => (isOpen(id) ? id : [])))
      const expected = new Map(
        all.map(({ id }) => {
          const ids = below(all, id)
          const costs = all.flatMap((step) => (ids.has(step.id) ? (step.cost ?? []) : []))
          const isWhole = [...ids].every((one) => !open.has(one))
          const unpriced = all.filter((step) => ids.has(step.id) && step.unpriced).length
          const cost = costs.length > 0 ? costs.reduce((sum, some) => sum + some, 0) : null
          return [id, isWhole ? { cost, unpriced } : { cost: null, unpriced: null }]
        }),
      )
      expect(costsWithBelow(all, open)).toEqual(expected)
      expect(costsWithBelow(all.toReversed(), open)).toEqual(expected)
    }),
  )
})
