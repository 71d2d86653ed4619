import type { StepwellClient } from '../../client.js'
import { type Agreement, agreementOfScores, type ScoreAgreement } from '../../statistics/index.js'
import type { MinimumAgreement } from './options.js'

/** The agreement of a judge with people on the scores of one name. */
export interface JudgeAgreement extends ScoreAgreement {
  /** The name of the scores. */
  readonly name: string
}

/** The options of `judgeAgreement`. */
export interface JudgeAgreementOptions {
  /** The judge's name and version, as in `helpfulness@3f2a`: the `scorer` of its scores. */
  judgeId: string
  /** The name of the scores. */
  name: string
  /** The share of intervals that hold the true value. Default: 0.95. */
  confidence?: number | undefined
  /** The client. */
  client: StepwellClient
}

/**
 * Compares the scores of a judge with those that people gave to the same steps, or conversations for a judge of these, by
 * the same name: the latest 2,000 of them.
 * Scores with labels are categories, and have Cohen's kappa; others have it with quadratic weights. Steps of one thread
 * count as a group.
 *
 * @returns kappa with its interval; a kappa of null when there are no pairs, or all have one and the same value.
 * @throws `INVALID_ARGUMENT` when the judge or the name is empty.
 * @example
 * import { judgeAgreement } from 'stepwell/evaluate'
 * const { kappa, interval, pairs } = await judgeAgreement({ judgeId: 'tone@1', name: 'tone', client: stepwell })
 * console.log(kappa, interval, pairs)
 */
export const judgeAgreement = async ({
  judgeId,
  name,
  confidence,
  client,
}: JudgeAgreementOptions): Promise<JudgeAgreement> => ({
  name,
  ...agreementOfScores(await client.api.getJudgementPairs({ judgeId, name }), confidence),
})

/** Pairs, and groups of them, below which nothing is said. */
const LEAST = 10

/** The verdict on a judge: `low` when its agreement is surely below the minimum. */
export type AgreementVerdict = 'enough' | 'low' | 'unproven'

/** Compares an agreement with the minimum, by the ends of its interval. */
export const verdictOn = (
  { groups, interval }: Agreement,
  { kappa }: MinimumAgreement,
): AgreementVerdict => {
  if (interval === null || groups < LEAST) return 'unproven'
  if (interval.high < kappa) return 'low'
  return interval.low >= kappa ? 'enough' : 'unproven'
}
