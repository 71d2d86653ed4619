// The SDK's statistics, so that a verdict here is the one in code. The only sources outside of the UI, besides generated/.
export {
  agreementOfScores,
  type Comparison,
  compare,
  compareRuns,
  type Interval,
  intervalOfMean,
  MEASURES,
  type Measure,
  measureOf,
  observationsOf,
  pairItems,
  type Quantity,
  type RunDifferences,
  type RunResult,
  scoreNamesOf,
  scorersOf,
} from '../../../src/statistics/index.js'
