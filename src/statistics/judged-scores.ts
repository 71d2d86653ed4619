import { type Agreement, agreement } from './agreement.js'

/** The scores that a person and a judge gave to one step. */
export interface ScoresOfBoth {
  /** Null when a thread was judged. */
  readonly stepId: string | null
  /** Null when the step belongs to no thread. */
  readonly threadId: string | null
  readonly human: number
  readonly judge: number
  /** True for categories, false for numbers on a scale. */
  readonly isLabelled: boolean
}

/** The agreement of scores, with the weights that they call for. */
export interface ScoreAgreement extends Agreement {
  /** `none` for categories; `quadratic` for numbers. */
  readonly weights: 'none' | 'quadratic'
}

/** Returns the agreement of scores of one name. Steps of one thread are a group. */
export const agreementOfScores = (
  scores: readonly ScoresOfBoth[],
  confidence?: number,
): ScoreAgreement => {
  const weights = scores.some(({ isLabelled }) => isLabelled) ? 'none' : 'quadratic'
  const pairs = scores.map(({ human, judge, threadId, stepId }) => ({
    human,
    judge,
    group: threadId === null ? `step ${stepId}` : `thread ${threadId}`,
  }))
  return { weights, ...agreement(pairs, { weights, confidence }) }
}
