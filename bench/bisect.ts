// Seeds a regression among 32 versions and lets `stepwell bisect` find it, by scores with chance; prints how often it does, and the
// share of the evaluations that testing each version would take. Beside it, a bisection in which each middle is compared with the good
// end by the paired test, at a level divided by the steps.
//
//   node scripts/run.js bench/bisect.ts [SEEDS] [FIRST_SEED] [PART_OF_A_NAME]
import { differ } from '../src/cli/bisect/search/differ.js'
import { search } from '../src/cli/bisect/search/search.js'
import { Trials, type VersionTrial } from '../src/cli/bisect/search/trials.js'
import type { EvalItem } from '../src/evaluate/data/item.js'
import { random } from '../src/statistics/index.js'

const VERSIONS = 32
const REPETITIONS = 3
const MAX_SHARE = 0.4

/** Versions of an application, by the chance of their scores. */
interface World {
  name: string
  items: number
  kind: 'pass' | 'graded'
  /** The score of the mean item, before and after. */
  good: number
  bad: number
  /** Items of a group, which are as hard as one another and fail together. */
  groupSize?: number
  /** A version gives an item the same score each time, as a model at temperature 0 does. */
  isFrozen?: boolean
  /** The score falls a little with each version. */
  isGradual?: boolean
}

const pass = (items: number, good: number, bad: number, more: Partial<World> = {}): World => ({
  name: `${items} items, pass or fail, ${100 * good} to ${100 * bad} %`,
  items,
  kind: 'pass',
  good,
  bad,
  ...more,
})
const worlds: World[] = [
  pass(50, 0.9, 0.6),
  pass(100, 0.9, 0.6),
  pass(100, 0.9, 0.7),
  pass(200, 0.9, 0.8),
  { name: '50 items, graded, 0.8 to 0.6', items: 50, kind: 'graded', good: 0.8, bad: 0.6 },
  { name: '100 items, graded, 0.8 to 0.7', items: 100, kind: 'graded', good: 0.8, bad: 0.7 },
  pass(200, 0.9, 0.7, { name: '200 in groups of 5, pass or fail, 90 to 70 %', groupSize: 5 }),
  pass(100, 0.9, 0.7, { name: '100 items, the same score each time, 90 to 70 %', isFrozen: true }),
  pass(50, 0.9, 0.75),
  pass(100, 0.9, 0.9, { name: '100 items, no change' }),
  pass(100, 0.9, 0.6, { name: '100 items, a little at each version, 90 to 60 %', isGradual: true }),
]

const [seeds = 100, firstSeed = 1] = process.argv.slice(2, 4).map(Number)
const wanted = process.argv[4] ?? ''
const normal = (next: () => number) =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
const logit = (share: number) => Math.log(share / (1 - share))
const within = (value: number) => Math.min(1, Math.max(0, value))

/** The scores of a world: each trial draws its own, whatever the rule asks for first. */
const drawn = (world: World, seed: number) => {
  const next = random(seed)
  const culprit = 1 + Math.floor(next() * VERSIONS)
  const size = world.groupSize ?? 1
  const groups = new Map<string, string>()
  const items = Array.from({ length: world.items }, (_, index): EvalItem => {
    const key = String(index)
    if (size > 1) groups.set(key, String(Math.floor(index / size)))
    return { key, input: {}, expected: undefined, metadata: {}, datasetItemId: undefined }
  })
  const units = Array.from({ length: world.items / size }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
  const ease = units.map(() => normal(next))
  const scoreOf = ({ version, item, repetition }: VersionTrial): number => {
    const unit = Math.floor(Number(item.key) / size)
    const mean = world.isGradual
      ? world.good + ((world.bad - world.good) * version) / VERSIONS
      : version < culprit
        ? world.good
        : world.bad
    const own = ease[unit] ?? 0
    const seeded = (...parts: number[]) =>
      random(parts.reduce((sum, part) => (Math.imul(sum, 0x9e3779b1) + part) >>> 0, seed))
    const times = world.isFrozen ? 1 : repetition
    // Groups share a half of their chance.
    const chance = seeded(version, times, unit, 1)
    chance()
    const alone = seeded(version, times, Number(item.key), 2)
    alone()
    const draw = size > 1 && alone() < 0.5 ? chance() : alone()
    if (world.kind === 'graded') return within(mean + 0.15 * own + 0.2 * normal(alone))
    return draw < 1 / (1 + Math.exp(-logit(mean) - own)) ? 1 : 0
  }
  const trials = new Trials(groups)
  const run = async (wanted: readonly VersionTrial[]) => {
    for (const trial of wanted) if (!trials.has(trial)) trials.add(trial, scoreOf(trial))
  }
  return { culprit, units, trials, run }
}

/** The end of a rule: the version that it names. */
type Rule = (world: ReturnType<typeof drawn>, items: number) => Promise<number | string>

const ours: Rule = async ({ units, trials, run }, items) => {
  const { verdict, high } = await search({
    versions: VERSIONS + 1,
    units,
    repetitions: REPETITIONS,
    maxTrials: MAX_SHARE * VERSIONS * items,
    trials,
    run,
  })
  return verdict === 'found' ? high : 'cannot tell'
}

const bySteps: Rule = async ({ units, trials, run }) => {
  const steps = Math.ceil(Math.log2(VERSIONS))
  const test = (candidate: number, risk: number) =>
    differ({ base: 0, candidate, units, first: 1, repetitions: REPETITIONS, risk }, trials, run)
  const ends = await test(VERSIONS, 0.025)
  if (ends === undefined || ends.verdict === 'cannot tell') return 'cannot tell'
  let [low, high] = [0, VERSIONS]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const { verdict } = (await test(middle, 0.025 / steps)) ?? {}
    if (verdict === ends.verdict) high = middle
    else low = middle
  }
  return high
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
console.log(`${seeds} seeds from ${firstSeed} on; ${VERSIONS} versions behind the good one`)
console.log('world | rule | found | another | can’t tell | evaluations | at most')
for (const world of worlds) {
  if (!world.name.includes(wanted)) continue
  for (const [name, rule] of Object.entries({ bisect: ours, 'step by step': bySteps })) {
    let [found, others, sum, most] = [0, 0, 0, 0]
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const made = drawn(world, seed)
      const end = await rule(made, world.items)
      if (end === made.culprit && world.good !== world.bad && !world.isGradual) found++
      else if (typeof end === 'number') others++
      const share = made.trials.count / (VERSIONS * world.items)
      sum += share
      most = Math.max(most, share)
    }
    const cells = [found, others, seeds - found - others].map((count) => percent(count / seeds))
    console.log([world.name, name, ...cells, percent(sum / seeds), percent(most)].join(' | '))
  }
}
