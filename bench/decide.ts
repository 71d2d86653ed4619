// Simulates comparisons of two runs, equal and different ones, and prints how often each rule calls one better or worse.
//
//   node scripts/run.js bench/decide.ts [ROUNDS] [SEED] [equal | different | gates]
import {
  afterEach,
  best,
  delta,
  notWorseByT,
  ours,
  oursEarly,
  oursWithin,
  type Rule,
  tTest,
} from '../test/support/decide/rules.js'
import { simulate } from '../test/support/decide/simulation.js'
import type { Kind, World } from '../test/support/decide/worlds.js'

const rounds = Number(process.argv[2] ?? 2000)
const seed = Number(process.argv[3] ?? 1)
const part = process.argv[4]
const percent = (share: number) => `${(share * 100).toFixed(1)} %`.padStart(8)
const line = (name: string, cells: readonly string[]) =>
  console.log(`| ${name.padEnd(56)} | ${cells.join(' | ')} |`)

const eight: readonly Kind[] = [
  'binary',
  'graded',
  'rare',
  'binary',
  'graded',
  'rare',
  'binary',
  'graded',
]
const once: Record<string, Rule> = { delta, tTest, ours, early: oursEarly() }
const often: Record<string, Rule> = {
  delta: afterEach(delta),
  tTest: afterEach(tTest),
  early: oursEarly(),
}
const equal: [name: string, world: World, rules: Record<string, Rule>][] = [
  ['50 items, pass or fail', { kinds: ['binary'], items: 50 }, once],
  ['50 items, graded', { kinds: ['graded'], items: 50 }, once],
  ['50 items, rare large differences', { kinds: ['rare'], items: 50 }, once],
  ['50 items in groups of 5, pass or fail', { kinds: ['binary'], items: 50, groupSize: 5 }, once],
  ['50 items in groups of 5, graded', { kinds: ['graded'], items: 50, groupSize: 5 }, once],
  ['50 items, eight scores', { kinds: eight, items: 50 }, once],
  ['200 items, looked at after each, pass or fail', { kinds: ['binary'], items: 200 }, often],
  ['200 items, looked at after each, graded', { kinds: ['graded'], items: 200 }, often],
  ['200 items, looked at after each, rare', { kinds: ['rare'], items: 200 }, often],
  [
    '100 in groups of 5, eight scores, after each',
    { kinds: eight, items: 100, groupSize: 5 },
    often,
  ],
]
const judgeEqual = () => {
  console.log(`No difference, ${rounds} rounds, seed ${seed}: share with a verdict`)
  line('', ['delta', 't-test', 'compare', 'stopEarly'])
  for (const [name, world, rules] of equal) {
    const found = simulate(world, rules, { rounds, seed })
    line(
      name,
      ['delta', 'tTest', 'ours', 'early'].map((rule) => {
        const tally = found[rule]
        return tally === undefined ? '       –' : percent(tally.said)
      }),
    )
  }
}

/** Differences that a test of all items finds about four times out of five; 1.17 of them it finds nine times out of ten. */
const different: [name: string, world: World & { shift: number }][] = [
  ['200 items, pass or fail', { kinds: ['binary'], items: 200, shift: 0.45 }],
  ['100 items, graded', { kinds: ['graded'], items: 100, shift: 0.42 }],
  ['250 in groups of 5, pass or fail', { kinds: ['binary'], items: 250, groupSize: 5, shift: 0.6 }],
  ['200 items, rare large losses', { kinds: ['rare'], items: 200, shift: -0.5 }],
]
const many: World = { kinds: ['binary'], items: 1000, shift: 0.2 }
const judgeDifferent = () => {
  console.log('\nA difference: share that finds it, and the items that stopEarly takes')
  line('', ['best test', 'compare', 'stopEarly', 'items'])
  const show = (name: string, world: World) => {
    const found = simulate(world, { best, ours, early: oursEarly() }, { rounds, seed })
    line(name, [
      percent(found.best.said),
      percent(found.ours.said),
      percent(found.early.said),
      percent(found.early.items),
    ])
  }
  for (const times of [1, 1.17, 0, 0.5, 1.5, 2])
    for (const [name, world] of different)
      show(times === 1 ? name : `${name}, ${times} times the difference`, {
        ...world,
        shift: world.shift * times,
      })
  show('1,000 items, pass or fail', many)
  const shown: World = { kinds: ['graded', ...eight.slice(1)], items: 100, shift: 0.55 }
  const { best: known, ours: together } = simulate(shown, { best, ours }, { rounds, seed })
  line('100 items, eight scores, one differs', [
    percent(known.better),
    percent(together.better),
    '       –',
    '       –',
  ])
}

const gates: [name: string, world: World, margin: number][] = [
  [
    '50 items, a loss as large as the margin',
    { kinds: ['sudden'], items: 50, shift: -2.355 },
    0.045,
  ],
  ['200 items, the same', { kinds: ['sudden'], items: 200, shift: -2.355 }, 0.045],
  ['200 items, pass or fail, the same', { kinds: ['binary'], items: 200, shift: -0.43 }, 0.1],
  ['400 items, pass or fail, no difference', { kinds: ['binary'], items: 400 }, 0.1],
  ['100 items, graded, no difference', { kinds: ['graded'], items: 100 }, 0.05],
]
const judgeGates = () => {
  console.log('\nGates: share that passes, and the items that stopEarly takes')
  line('', ['t-test', 'compare', 'stopEarly', 'items'])
  for (const [name, world, margin] of gates) {
    const rules = {
      tTest: notWorseByT,
      ours: oursWithin(margin),
      early: oursEarly(margin),
    }
    const found = simulate(world, rules, { rounds, seed })
    line(name, [
      percent(found.tTest.passed),
      percent(found.ours.passed),
      percent(found.early.passed),
      percent(found.early.items),
    ])
  }
}

if (part === undefined || part === 'equal') judgeEqual()
if (part === undefined || part === 'different') judgeDifferent()
if (part === undefined || part === 'gates') judgeGates()
