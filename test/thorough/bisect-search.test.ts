import { expect, test } from 'vitest'
import { type SearchOptions, SkippedVersion, search } from '../../src/cli/bisect/search/search.js'
import { Trials, type VersionTrial } from '../../src/cli/bisect/search/trials.js'
import type { EvalItem } from '../../src/evaluate/data/item.js'
import { random } from '../../src/statistics/index.js'

const itemsOf = (count: number): EvalItem[] =>
  Array.from({ length: count }, (_, index) => ({
    key: String(index),
    input: {},
    expected: undefined,
    metadata: {},
    datasetItemId: undefined,
  }))

/** Searches among versions whose scores a function draws. */
const find = async (
  scoreOf: (trial: VersionTrial, chance: () => number) => number | null,
  {
    seed = 1,
    items = 100,
    groupSize = 1,
    ...options
  }: Partial<SearchOptions> & { seed?: number; items?: number; groupSize?: number } = {},
) => {
  const all = itemsOf(items)
  const groups = new Map(
    groupSize === 1
      ? []
      : all.map(({ key }) => [key, String(Math.floor(Number(key) / groupSize))] as const),
  )
  const trials = new Trials(groups)
  const chance = random(seed)
  const found = await search({
    versions: 33,
    units: Array.from({ length: items / groupSize }, (_, index) =>
      all.slice(index * groupSize, (index + 1) * groupSize),
    ),
    repetitions: 3,
    maxTrials: 0.4 * 32 * items,
    trials,
    async run(wanted) {
      for (const trial of wanted) {
        expect(trials.has(trial)).toBe(false)
        trials.add(trial, scoreOf(trial, chance))
      }
    },
    ...options,
  })
  return { ...found, trials: trials.count, share: trials.count / (32 * items) }
}

/** Passes with a chance that falls at a version. */
const falling =
  (culprit: number, good = 0.9, bad = 0.6) =>
  ({ version }: VersionTrial, chance: () => number) =>
    chance() < (version < culprit ? good : bad) ? 1 : 0

test('a regression among 32 versions is found by 95 of 100 seeds at least, with 40 % of the runs at most', async () => {
  let found = 0
  let shares = 0
  for (let seed = 1; seed <= 100; seed++) {
    const culprit = 1 + ((seed * 7) % 32)
    const result = await find(falling(culprit), { seed })
    if (result.verdict === 'found') expect(result.high).toBe(culprit)
    if (result.verdict === 'found') found++
    shares += result.share
    expect(result.share).toBeLessThanOrEqual(0.4)
  }
  expect(found).toBeGreaterThanOrEqual(95)
  expect(shares / 100).toBeLessThan(0.2)
})

test('the version that improved a score is found too', async () => {
  expect(await find(falling(9, 0.5, 0.9))).toMatchObject({ verdict: 'found', low: 8, high: 9 })
})

test('equal ends are no place to search', async () => {
  let named = 0
  for (let seed = 1; seed <= 40; seed++) {
    const { verdict, share } = await find(falling(99), { seed, items: 50 })
    if (verdict === 'found') named++
    expect(share).toBeLessThanOrEqual(0.4)
  }
  // Each is named with a chance of 5 % at most.
  expect(named).toBeLessThanOrEqual(2)
})

test('where every version changes a little, none is named, and no range is proven', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const gradual = ({ version }: VersionTrial, chance: () => number) =>
      chance() < 0.9 - (0.3 * version) / 32 ? 1 : 0
    const { verdict, proof } = await find(gradual, { seed })
    expect([verdict, proof]).toEqual(['cannot tell', undefined])
  }
})

test('turns of one conversation count as one: five copies of noise prove nothing', async () => {
  const verdicts: string[] = []
  for (let seed = 1; seed <= 20; seed++) {
    const draws = random(seed)
    const known = new Map<string, number>()
    const shared = ({ version, item, repetition }: VersionTrial) => {
      const name = `${version} ${repetition} ${Math.floor(Number(item.key) / 5)}`
      const score = known.get(name) ?? (draws() < 0.7 ? 1 : 0)
      known.set(name, score)
      return score
    }
    verdicts.push((await find(shared, { seed, groupSize: 5 })).verdict)
  }
  expect(verdicts.filter((one) => one === 'found').length).toBeLessThanOrEqual(1)
})

test('a command without chance needs few runs', async () => {
  const result = await find(({ version }) => (version < 20 ? 1 : 0), { items: 20 })
  expect(result).toMatchObject({ verdict: 'found', high: 20 })
  expect(result.share).toBeLessThan(0.25)
})

test('two versions are compared, and no more', async () => {
  const result = await find(falling(1, 1, 0), { versions: 2, items: 20 })
  expect(result).toMatchObject({ verdict: 'found', low: 0, high: 1, proof: result.ends })
})

test('items without a score are left out; without any, nothing is told', async () => {
  const some = await find((trial, chance) =>
    Number(trial.item.key) % 2 === 0 ? null : falling(12, 0.95, 0.3)(trial, chance),
  )
  expect(some).toMatchObject({ verdict: 'found', high: 12 })
  const none = await find(() => null, { items: 20 })
  expect(none).toMatchObject({ verdict: 'no difference', ends: undefined })
})

test('a version that can’t be tested is passed over; one at an end ends the search', async () => {
  const skipping = (versions: number[]) => (trial: VersionTrial, chance: () => number) => {
    if (versions.includes(trial.version)) throw new SkippedVersion(trial.version, 'no build')
    return falling(16, 0.95, 0.3)(trial, chance)
  }
  const before = await find(skipping([8, 14, 20]))
  expect(before).toMatchObject({ verdict: 'found', high: 16 })
  const beside = await find(skipping([15, 16]))
  expect(beside).toMatchObject({ verdict: 'cannot tell', low: 14, high: 17 })
  expect(beside.skipped).toEqual([15, 16])
  const all = await find(skipping(Array.from({ length: 31 }, (_, index) => index + 1)))
  expect(all).toMatchObject({ verdict: 'cannot tell', low: 0, high: 32 })
  await expect(find(skipping([32]))).rejects.toThrow('no build')
})

test('it takes no more runs than it may, and says that it had them all', async () => {
  for (const maxTrials of [1, 10, 100, 250]) {
    const result = await find(falling(9, 0.9, 0.85), { maxTrials })
    expect(result.trials).toBeLessThanOrEqual(maxTrials)
    expect(result).toMatchObject({ verdict: 'cannot tell', isSpent: true })
  }
})
