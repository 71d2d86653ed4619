import { type Comparison, compare, type Interval } from '../../statistics/index.js'
import type { VersionedScorer } from '../scoring/run-scorers.js'
import type { Base } from './base.js'
import { isHigherBetter, type RunComparison } from './compare-runs.js'
import type { DecideOptions } from './decide-options.js'
import { scoresOf } from './observations.js'
import type { EvalResult } from './results.js'
import { checkRange } from './score-range.js'

/** The verdict on a run. */
export type DecisionVerdict =
  | Comparison['verdict']
  | 'nothing to compare with'
  | 'no sound run before'

/** A verdict with everything that it rests on. */
export interface Decision {
  /** The score that decided. */
  readonly metric: string
  readonly margin: number
  /**
   * `nothing to compare with` on the first run of a name, which passes; `no sound run before` when all earlier ones are broken
   * or did not come to their end, which does not.
   */
  readonly verdict: DecisionVerdict
  /** A sentence on what it rests on. */
  readonly reason: string
  /** About how many more items would decide; 0 when it is decided, null when that can't be said. */
  readonly moreItems: number | null
  /** Candidate minus base; null without a comparison. */
  readonly difference: number | null
  /** The interval of the difference; null when there is none. */
  readonly interval: Interval | null
}

/** The verdict on a run that was looked at while it went on. */
export interface EarlyVerdict
  extends Pick<
    Comparison,
    'verdict' | 'difference' | 'interval' | 'reason' | 'moreItems' | 'items'
  > {
  /** It was clear before all items were there. */
  readonly isEarly: boolean
}

/** Decides on a run. @throws Error when the score can't be compared: the run is broken then. */
export const decide = (
  options: DecideOptions,
  given: {
    base: Base | undefined
    passedOver: number
    comparison: RunComparison | undefined
    results: readonly EvalResult[]
    groups: ReadonlyMap<string, string>
    scorers: readonly VersionedScorer[]
    confidence: number
    early: EarlyVerdict | undefined
  },
): Decision => {
  const { metric, margin = 0, range } = options
  const { base, passedOver, comparison, results, groups, scorers, confidence, early } = given
  if (!results.some(({ scores }) => scores.some(({ name }) => name === metric)))
    throw new Error(`${metric} can't decide: no result has a score of this name`)
  if (base === undefined)
    return {
      metric,
      margin,
      ...(passedOver === 0
        ? {
            verdict: 'nothing to compare with',
            reason: 'There is no earlier run of its name to compare with.',
          }
        : {
            verdict: 'no sound run before',
            reason: `${passedOver === 1 ? 'The earlier run' : `All ${passedOver} earlier runs`} of its name that could be read had errors, lacked the score, or did not come to an end.`,
          }),
      moreItems: null,
      difference: null,
      interval: null,
    }
  // The name of a score may be one that every object has.
  const refused = comparison?.refused ?? {}
  const problem = Object.hasOwn(refused, metric) ? refused[metric] : undefined
  if (problem !== undefined) throw new Error(`${metric} can't decide: ${problem}`)
  if (early !== undefined)
    return {
      metric,
      margin,
      verdict: early.verdict,
      reason: earlyReason(early),
      moreItems: early.moreItems,
      difference: early.difference,
      interval: early.interval,
    }
  // The score was named before the run, so it needs no correction for the others that are shown.
  checkRange(options, base.results)
  checkRange(options, results)
  const { verdict, reason, moreItems, difference, interval } = compare(
    scoresOf(base.results, metric, groups),
    scoresOf(results, metric, groups),
    {
      confidence,
      margin,
      higherIsBetter: isHigherBetter(results, metric, scorers),
      ...(range === undefined ? {} : { range }),
    },
  )
  return { metric, margin, verdict, reason, moreItems, difference, interval }
}

const earlyReason = ({ isEarly, verdict, items, reason }: EarlyVerdict): string => {
  if (!isEarly) return reason
  return verdict === 'cannot tell'
    ? `After ${items} items, the others would hardly have decided.`
    : `It was clear after ${items} items.`
}
