// Seeds a regression among 32 versions and lets `stepwell bisect` find it, by scores with chance; prints how often it does, and the
// share of the evaluations that testing each version would take.
//
//   node scripts/run.js bench/bisect.ts [SEEDS] [FIRST_SEED] [WORLD]
import { search } from '../src/cli/bisect/search/search.js'
import { Trials } from '../src/cli/bisect/search/trials.js'
import type { EvalItem } from '../src/evaluate/data/item.js'
import { random } from '../src/statistics/index.js'

const VERSIONS = 32

/** Versions of an application, by the chance of its scores. */
interface World {
  name: string
  items: number
  kind: 'pass or fail' | 'graded'
  /** The score of the mean item, before and after. */
  good: number
  bad: number
  /** Items of a group, which share how hard they are. */
  groupSize?: number
  /** The score falls at each version a little. */
  isGradual?: boolean
}

const worlds: World[] = [
  {
    name: '50 items, pass or fail, 90 to 60 %',
    items: 50,
    kind: 'pass or fail',
    good: 0.9,
    bad: 0.6,
  },
  {
    name: '100 items, pass or fail, 90 to 60 %',
    items: 100,
    kind: 'pass or fail',
    good: 0.9,
    bad: 0.6,
  },
  {
    name: '100 items, pass or fail, 90 to 70 %',
    items: 100,
    kind: 'pass or fail',
    good: 0.9,
    bad: 0.7,
  },
  {
    name: '200 items, pass or fail, 90 to 80 %',
    items: 200,
    kind: 'pass or fail',
    good: 0.9,
    bad: 0.8,
  },
  { name: '50 items, graded, 0.8 to 0.6', items: 50, kind: 'graded', good: 0.8, bad: 0.6 },
  { name: '100 items, graded, 0.8 to 0.7', items: 100, kind: 'graded', good: 0.8, bad: 0.7 },
]

const [seeds = 100, firstSeed = 1] = process.argv.slice(2, 4).map(Number)
const wanted = process.argv[4]
const normal = (next: () => number) =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
const logit = (share: number) => Math.log(share / (1 - share))

const find = async (world: World, seed: number) => {
  const next = random(seed)
  const items = Array.from(
    { length: world.items },
    (_, index): EvalItem => ({
      key: String(index),
      input: {},
      expected: undefined,
      metadata: {},
      datasetItemId: undefined,
    }),
  )
  const ease = new Map(items.map(({ key }) => [key, normal(next)]))
  const culprit = 1 + Math.floor(next() * VERSIONS)
  const trials = new Trials(new Map())
  const found = await search({
    versions: VERSIONS + 1,
    units: items.map((item) => [item]),
    repetitions: 3,
    maxTrials: 0.4 * VERSIONS * world.items,
    trials,
    async run(wanted) {
      for (const trial of wanted) {
        const own = ease.get(trial.item.key) ?? 0
        const mean = trial.version < culprit ? world.good : world.bad
        const score =
          world.kind === 'graded'
            ? Math.min(1, Math.max(0, mean + 0.15 * own + 0.2 * normal(next)))
            : next() < 1 / (1 + Math.exp(-logit(mean) - own))
              ? 1
              : 0
        trials.add(trial, score)
      }
    },
  })
  const share = trials.count / (VERSIONS * world.items)
  if (found.verdict === 'found') return { end: found.high === culprit ? 'found' : 'false', share }
  return { end: found.verdict, share }
}

for (const world of worlds) {
  if (wanted !== undefined && !world.name.includes(wanted)) continue
  const ends = new Map<string, number>()
  let sum = 0
  let most = 0
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    const { end, share } = await find(world, seed)
    ends.set(end, (ends.get(end) ?? 0) + 1)
    sum += share
    most = Math.max(most, share)
  }
  const told = [...ends].map(([end, count]) => `${end} ${count}`).join(', ')
  console.log(
    `${world.name}: ${told}; ${((100 * sum) / seeds).toFixed(1)} % of the evaluations (at most ${(100 * most).toFixed(1)} %)`,
  )
}
