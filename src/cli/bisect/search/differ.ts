import type { EvalItem } from '../../../evaluate/data/item.js'
import {
  type CompareOptions,
  type Comparison,
  compare,
  createSequentialDecision,
} from '../../../statistics/index.js'
import type { Trials, VersionTrial } from './trials.js'

/** The share of the risk that the first repetition has, which is looked at while it goes on. */
const FIRST_SHARE = 0.5

interface DifferOptions {
  base: number
  candidate: number
  /** The items by their groups, in the order in which they run. */
  units: readonly (readonly EvalItem[])[]
  /** Repetitions are counted from this one on. */
  first: number
  /** Runs of each item at both versions, at most; a further one where the ones before left it open. */
  repetitions: number
  /** The chance of a difference in a direction in which there is none. */
  risk: number
  /** Returns false when a further repetition is needless. */
  isWorthIt?: () => boolean
}

/**
 * Compares two versions by the paired test, item by item: while the first repetition of the items goes on, and then after each further one.
 * The last comparison says `better`, `worse` or `cannot tell`; undefined when no item has a score at both.
 */
export const differ = async (
  { base, candidate, units, first, repetitions, risk, isWorthIt = () => true }: DifferOptions,
  trials: Trials,
  run: (wanted: readonly VersionTrial[]) => Promise<void>,
): Promise<Comparison | undefined> => {
  const planned = units.reduce((sum, unit) => sum + unit.length, 0)
  const of = (version: number, items: readonly EvalItem[], times: number) =>
    trials.observations(
      version,
      items,
      Array.from({ length: times }, (_, index) => first + index),
    )
  const both = (items: readonly EvalItem[], repetition: number): VersionTrial[] =>
    items.flatMap((item) => [base, candidate].map((version) => ({ version, item, repetition })))
  const share = repetitions === 1 ? 1 : FIRST_SHARE
  const decision = createSequentialDecision({
    confidence: 1 - 2 * risk * share,
    items: planned,
  })
  for (let at = 0, taken = 0; at < units.length && !decision.isOver; ) {
    const batch: (readonly EvalItem[])[] = []
    while (at < units.length && (batch.length === 0 || taken + LEAST < decision.nextLook)) {
      const unit = units[at++] as readonly EvalItem[]
      batch.push(unit)
      taken += unit.length
    }
    await run(both(batch.flat(), first))
    for (const unit of batch) {
      const scored = unit.filter(
        (item) => of(base, [item], 1).length > 0 && of(candidate, [item], 1).length > 0,
      )
      if (scored.length > 0)
        decision.observe({ base: of(base, scored, 1), candidate: of(candidate, scored, 1) })
    }
  }
  decision.end()
  let found = decision.comparison
  const items = units.flat()
  for (let times = 2; times <= repetitions; times++) {
    if (found?.verdict !== 'cannot tell' || !isWorthIt()) break
    for (let repetition = first; repetition < first + times; repetition++)
      await run(both(items, repetition))
    const options: CompareOptions = {
      confidence: 1 - (2 * risk * (1 - share)) / (repetitions - 1),
    }
    found = compare(of(base, items, times), of(candidate, items, times), options)
  }
  return found
}

const LEAST = 1e-9
