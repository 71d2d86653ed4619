import { UNSPLIT } from './series.js'
import { DAY, HOUR, TEN_MINUTES } from './spans.js'

/** The lengths of the spans in which scores are measured, which are fewer than steps. Shortest first. */
export const SCORE_LENGTHS = [TEN_MINUTES, HOUR, DAY] as const

/** The properties of what is scored by which scores are measured ahead, besides its environment. */
export const SCORED_PROPERTIES = ['release', 'model', 'promptVersion'] as const

/** The properties of the series of scores. Each has those by environment and by name. */
export const SCORE_DIMENSIONS = [UNSPLIT, ...SCORED_PROPERTIES] as const

export type ScoreDimension = (typeof SCORE_DIMENSIONS)[number]

/** The values of a span that are of one environment, of experiments or not, of one name and of one value of a property. */
export type ScoreItem = [
  environment: string | null,
  isOfExperiment: boolean,
  name: string,
  key: string | null,
  count: number,
  mean: number,
  /** The sum of the squares of the distances from the mean. */
  squares: number,
]
