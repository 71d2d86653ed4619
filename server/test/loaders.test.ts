import { expect, test } from 'vitest'
import type { Domain } from '../src/domain/domain.js'
import { createLoaders } from '../src/graphql/engine/loaders.js'
import type { Caller } from '../src/kernel/caller.js'

const IDS = Array.from({ length: 50_000 }, (_, n) => `step ${n}`)
const caller = { projectId: 'many' } as unknown as Caller

/** Returns loaders, and the numbers of ids that their statements look for, of which each finds a row. */
const observed = () => {
  const sizes: number[] = []
  const reader = () => async (_: unknown, ids: readonly string[]) => {
    sizes.push(ids.length)
    return ids.map((id) => ({ id, stepId: id, name: `row of ${id}` }))
  }
  const loaders = createLoaders({ reader } as unknown as Domain, caller, true, 'all')
  return { loaders, sizes }
}

test('rows that belong to very many others are read a few thousand at a time, and each is with its own', async () => {
  for (const name of ['scoresOfStep', 'attachmentsOfStep'] as const) {
    const { loaders, sizes } = observed()
    const found = await loaders[name].loadMany(IDS)
    expect(found).toEqual(IDS.map((id) => [{ id, stepId: id, name: `row of ${id}` }]))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2000)
  }
  const { loaders, sizes } = observed()
  const found = await loaders.step.loadMany(IDS)
  expect(found).toEqual(IDS.map((id) => ({ id, stepId: id, name: `row of ${id}` })))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2000)
})

test('rows that belong to those of a page are read at once', async () => {
  const { loaders, sizes } = observed()
  await loaders.scoresOfStep.loadMany(IDS.slice(0, 1000))
  expect(sizes).toEqual([1000])
})
