// Which of two runs is better, honestly: known to nothing else here, so that the SDK and the web UI say the same.
export {
  type Agreement,
  type AgreementOptions,
  agreement,
  type JudgementPair,
} from './agreement.js'
export { type CompareOptions, type Comparison, compare, type Flips } from './compare.js'
export { agreementOfScores, type ScoreAgreement, type ScoresOfBoth } from './judged-scores.js'
export { intervalOfMean } from './mean.js'
export { random } from './numbers/random.js'
export type { Interval, Observation } from './observation.js'
export { pairItems } from './pairing.js'
export { passAtK, passHatK, type Rate, type RateOptions } from './passes.js'
export { itemsFor, type Plan, smallestEffect } from './planning.js'
export { compareRuns, type RunDifferences } from './runs/compare-runs.js'
export { groupIn } from './runs/groups.js'
export { MEASURES, type Measure, measureOf } from './runs/measures.js'
export { observationsOf, type Quantity, scoreNamesOf } from './runs/observations.js'
export type { RunResult } from './runs/result.js'
export { scorersOf } from './runs/scorer-versions.js'
export { compareScores } from './scores.js'
export {
  createSequentialDecision,
  type SequentialDecision,
  type SequentialOptions,
} from './sequential/decision.js'
export { splitVariance, type VarianceSplit } from './variance.js'
export type { Verdict } from './verdict.js'
