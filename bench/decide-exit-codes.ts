// Simulates runs whose pass rate falls by ten points, stays or rises, and prints how often each gate lets them pass: ours by
// the exit code of `evaluate`, others by their documented rules.
//
//   node scripts/run.js bench/decide-exit-codes.ts [ROUNDS] [SEED]
import { random } from '../src/statistics/index.js'
import { exitOf } from '../test/support/decide/exit-codes.js'
import {
  braintrustComment,
  braintrustEval,
  langSmithComparison,
  langSmithGate,
} from '../test/support/decide/platforms.js'
import { runWorld, type World } from '../test/support/decide/worlds.js'

const rounds = Number(process.argv[2] ?? 1000)
const seed = Number(process.argv[3] ?? 1)
const percent = (count: number) => `${((100 * count) / rounds).toFixed(1)} %`
const line = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`)

/** The luck that passes 90 of 100, and what takes it to 80 and to 95. */
const LEVEL = 1.812
const worlds = (items: number): [name: string, world: World][] => {
  const world: World = { kinds: ['binary'], items, groupSize: 5, level: LEVEL }
  return [
    [`${items} items, from 90 to 80 of 100`, { ...world, shift: -0.622 }],
    [`${items} items, 90 of 100 before and after`, world],
    [`${items} items, from 90 to 95 of 100`, { ...world, shift: 0.514 }],
  ]
}

const ours = {
  'margin 5 points': { margin: 0.05 },
  'the same, stopEarly': { margin: 0.05, stopEarly: true },
  'margin 0': { margin: 0 },
}
const others = { langSmithGate, langSmithComparison, braintrustEval, braintrustComment }
console.log(`Groups of five, ${rounds} rounds, seed ${seed}`)
for (const [name, world] of [...worlds(50), ...worlds(500)]) {
  const next = random(seed)
  const codes = new Map(Object.keys(ours).map((rule) => [rule, [0, 0, 0, 0]]))
  const items = new Map(Object.keys(ours).map((rule) => [rule, 0]))
  const passes = new Map(Object.keys(others).map((rule) => [rule, 0]))
  for (let round = 0; round < rounds; round++) {
    const runs = runWorld(world, next)
    for (const [rule, options] of Object.entries(ours)) {
      const exit = exitOf(runs, options)
      const counts = codes.get(rule) ?? []
      counts[exit.code] = (counts[exit.code] ?? 0) + 1
      items.set(rule, (items.get(rule) ?? 0) + exit.items / world.items)
    }
    for (const [rule, gate] of Object.entries(others))
      if (gate(runs)) passes.set(rule, (passes.get(rule) ?? 0) + 1)
  }
  console.log(`\n${name}`)
  line(['', 'exit code 0', '1', '2', 'items'])
  for (const [rule, [pass = 0, worse = 0, unclear = 0]] of codes)
    line([
      rule,
      percent(pass),
      percent(worse),
      percent(unclear),
      percent(items.get(rule) ?? Number.NaN),
    ])
  for (const [rule, pass] of passes)
    line([rule, percent(pass), percent(rounds - pass), '–', '100.0 %'])
}
