import {
  type Comparison,
  compare,
  type Interval,
  observationsOf,
  type RunResult,
} from '../../../stats/statistics.js'
import type { Rule } from './stated.js'

/** The verdict of the rule of a run: on one score that was named before, so that others take nothing from it. */
export interface RuleDecision {
  rule: Rule
  comparison: Comparison
}

/** Returns a stated range; undefined where a stored score is outside, so that it can't be the range. */
export const rangeThatHolds = (
  runs: readonly (readonly RunResult[])[],
  score: string,
  range: Interval | undefined,
): Interval | undefined =>
  range !== undefined &&
  runs.every((results) =>
    results.every(({ scores }) =>
      scores.every(
        ({ name, value }) => name !== score || (value >= range.low && value <= range.high),
      ),
    ),
  )
    ? range
    : undefined

/** Decides on a run by its rule, as its evaluation did; undefined where no item has the score in both. */
export const decideByRule = (
  rule: Rule,
  base: readonly RunResult[],
  candidate: readonly RunResult[],
  given: {
    groupOf: (item: string) => string | undefined
    higherIsBetter: boolean
    confidence: number
  },
): RuleDecision | undefined => {
  const { groupOf, higherIsBetter, confidence } = given
  const quantity = { score: rule.metric }
  const range = rangeThatHolds([base, candidate], rule.metric, rule.range)
  const comparison = compare(
    observationsOf(base, quantity, groupOf),
    observationsOf(candidate, quantity, groupOf),
    {
      confidence,
      margin: rule.margin,
      higherIsBetter,
      ...(range === undefined ? {} : { range }),
    },
  )
  return comparison.items === 0 ? undefined : { rule: { ...rule, range }, comparison }
}
