import { expect, test } from 'vitest'
import { afterEach, best, ours, oursEarly, tTest } from '../support/decide/rules.js'
import { simulate } from '../support/decide/simulation.js'
import type { Kind, World } from '../support/decide/worlds.js'

// A short form of bench/decide.ts, whose table the documentation shows. With 300 rounds, a rule that is wrong in 5 of 100
// is above 8 % in one of a hundred seeds; this seed is fixed.
const AT_MOST = 0.08
const rules = { ours, early: oursEarly(0.1) }
const kinds: readonly Kind[] = ['binary', 'graded', 'rare', 'binary']

test.each<[string, World]>([
  ['pass or fail', { kinds: ['binary'], items: 50 }],
  ['graded', { kinds: ['graded'], items: 50 }],
  ['rare large differences', { kinds: ['rare'], items: 50 }],
  ['groups of five', { kinds: ['graded'], items: 50, groupSize: 5 }],
])('equal runs are called different at most 5 times in 100: %s', (_, world) => {
  const found = simulate(world, rules, { rounds: 300, seed: 1 })
  expect(found.ours.said).toBeLessThan(AT_MOST)
  expect(found.early.said).toBeLessThan(AT_MOST)
})

test('of four scores in groups, looked at after each group, none is called different 95 times in 100', () => {
  const world: World = { kinds, items: 50, groupSize: 5 }
  const found = simulate(world, { ...rules, tTest }, { rounds: 150, seed: 1 })
  expect(found.ours.said).toBeLessThan(AT_MOST)
  expect(found.early.said).toBeLessThan(AT_MOST)
  // The test can fail: a t-test for each score does.
  expect(found.tTest.said).toBeGreaterThan(0.3)
})

test('a difference is found nearly as often as by the best test of one size, and earlier', () => {
  const world: World = { kinds: ['graded'], items: 100, shift: 0.68 }
  const found = simulate(world, { best, ours, early: oursEarly() }, { rounds: 150, seed: 1 })
  expect(found.ours.better).toBeGreaterThan(0.9 * found.best.better)
  expect(found.early.better).toBeGreaterThan(0.9 * found.best.better)
  expect(found.early.items).toBeLessThan(0.6)
})

test('a t-test that is looked at after each item calls equal runs different in a quarter of all cases', () => {
  const world: World = { kinds: ['graded'], items: 100 }
  const found = simulate(world, { often: afterEach(tTest) }, { rounds: 150, seed: 1 })
  expect(found.often.said).toBeGreaterThan(0.2)
})
