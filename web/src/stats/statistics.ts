// The SDK's statistics, so that a verdict here is the one in code. The only sources outside of the UI, besides generated/.
export {
  type Comparison,
  compareScores,
  type Interval,
  intervalOfMean,
  type Observation,
} from '../../../src/statistics/index.js'
