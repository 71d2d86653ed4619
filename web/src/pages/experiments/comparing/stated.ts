import type { Interval } from '../../../stats/statistics.js'

/** The rule by which a run decides, as it was stated before its first item. */
export interface Rule {
  metric: string
  margin: number
  range: Interval | undefined
}

/** The terms of a comparison that a run stored with its experiment. */
export interface Stated {
  /** The scorers whose scores are better when they are lower. */
  lower: string[]
  /** Undefined where none was stated. */
  confidence: number | undefined
  rule: Rule | undefined
}

/** Returns the terms in the parameters of an experiment, which anybody may have written. */
export const statedIn = (params: unknown): Stated => {
  const { lower, confidence, decide } = objectIn(objectIn(params).evaluate)
  return {
    lower: Array.isArray(lower) ? lower.filter((name) => typeof name === 'string') : [],
    confidence: isNumber(confidence) && confidence > 0 && confidence < 1 ? confidence : undefined,
    rule: ruleIn(decide),
  }
}

const ruleIn = (decide: unknown): Rule | undefined => {
  const { metric, margin, range } = objectIn(decide)
  if (typeof metric !== 'string') return undefined
  const { low, high } = objectIn(range)
  return {
    metric,
    margin: isNumber(margin) && margin > 0 ? margin : 0,
    range: isNumber(low) && isNumber(high) && low < high ? { low, high } : undefined,
  }
}

const objectIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value)
