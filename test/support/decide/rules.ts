import { compareScores, createSequentialDecision } from '../../../src/statistics/index.js'
import { flipP } from '../../../src/statistics/numbers/binomial.js'
import { studentAbove } from '../../../src/statistics/numbers/student.js'
import type { Runs } from './worlds.js'

/** A verdict on each score, and the number of items that it took. */
export interface Ruling {
  verdicts: readonly ('better' | 'worse' | 'not worse' | 'cannot tell')[]
  items: number
}

export type Rule = (runs: Runs) => Ruling

const valuesOf = (runs: Runs) =>
  Object.values(runs).map(({ base, candidate }) =>
    candidate.map(({ value, group, item }, place) => ({
      unit: group ?? item,
      difference: value - (base[place]?.value ?? 0),
    })),
  )

const itemsOf = (runs: Runs): number => Object.values(runs)[0]?.base.length ?? 0

const bySign = (difference: number, isSure: boolean) =>
  !isSure || difference === 0 ? 'cannot tell' : difference > 0 ? 'better' : 'worse'

/** A platform's colour: green above the base's mean, red below. */
export const delta: Rule = (runs) => ({
  verdicts: valuesOf(runs).map((differences) => bySign(meanOf(differences), true)),
  items: itemsOf(runs),
})

const meanOf = (differences: readonly { difference: number }[]) =>
  differences.reduce((sum, { difference }) => sum + difference, 0) / differences.length

/** A paired t-test of each score, items taken as independent. */
export const tTest: Rule = (runs) => ({
  verdicts: valuesOf(runs).map((differences) =>
    bySign(meanOf(differences), tOf(differences.map(({ difference }) => difference)) <= 0.05),
  ),
  items: itemsOf(runs),
})

const tOf = (differences: readonly number[]): number => {
  const count = differences.length
  const mean = differences.reduce((sum, value) => sum + value, 0) / count
  const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  if (squares === 0) return 1
  return 2 * studentAbove(Math.abs(mean) / Math.sqrt(squares / count / (count - 1)), count - 1)
}

/** The best test of one size for a single score: t of the groups' means, McNemar's for single items of 0 and 1. */
export const best: Rule = (runs) => {
  const all = valuesOf(runs)
  const verdicts = all.map((differences) => {
    const units = new Map<string, number>()
    for (const { unit, difference } of differences)
      units.set(unit, (units.get(unit) ?? 0) + difference)
    const up = differences.filter(({ difference }) => difference === 1).length
    const down = differences.filter(({ difference }) => difference === -1).length
    const isBinary = differences.every(({ difference }) => Number.isInteger(difference))
    const p =
      isBinary && units.size === differences.length ? flipP(up, down) : tOf([...units.values()])
    return bySign(meanOf(differences), p <= 0.05 / all.length)
  })
  return { verdicts, items: itemsOf(runs) }
}

/** A gate that passes what a t-test does not call worse. */
export const notWorseByT: Rule = (runs) => {
  const { verdicts, items } = tTest(runs)
  return { verdicts: verdicts.map((one) => (one === 'worse' ? 'worse' : 'not worse')), items }
}

/** This module, when all items are there. */
export const oursWithin =
  (margin: number): Rule =>
  (runs) => ({
    verdicts: Object.values(compareScores(runs, { margin })).map(({ verdict }) => verdict),
    items: itemsOf(runs),
  })

export const ours = oursWithin(0)

/** This module, while items or groups come. The risk is divided by the scores. */
export const oursEarly =
  (margin = 0): Rule =>
  (runs) => {
    const items = itemsOf(runs)
    const scores = Object.values(runs)
    let used = 0
    const verdicts = scores.map(({ base, candidate }) => {
      const groupSize = base.filter(({ group }) => group !== undefined && group === base[0]?.group)
      const size = Math.max(1, groupSize.length)
      const confidence = 1 - 0.05 / scores.length
      const decision = createSequentialDecision({ confidence, items, margin })
      for (let from = 0; from < items && !decision.isOver; from += size)
        decision.observe({
          base: base.slice(from, from + size),
          candidate: candidate.slice(from, from + size),
        })
      used = Math.max(used, decision.items)
      return decision.verdict
    })
    return { verdicts, items: used }
  }

/** A rule that is asked after every item from the tenth on, until it says something. */
export const afterEach =
  (rule: Rule): Rule =>
  (runs) => {
    const items = itemsOf(runs)
    for (let count = 10; ; count++) {
      const part = Object.fromEntries(
        Object.entries(runs).map(([name, { base, candidate }]) => [
          name,
          { base: base.slice(0, count), candidate: candidate.slice(0, count) },
        ]),
      )
      const ruling = rule(part)
      if (count >= items || ruling.verdicts.some((verdict) => verdict !== 'cannot tell'))
        return ruling
    }
  }
