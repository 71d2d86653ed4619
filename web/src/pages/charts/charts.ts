import type { MetricSubject } from '../../../../generated/schema.js'
import type { Metric } from '../../charts/series.js'
import {
  GENERATION_LANGUAGE,
  SCORE_LANGUAGE,
  type ShownLanguage,
  STEP_LANGUAGE,
  THREAD_LANGUAGE,
} from '../../filter/fields.js'
import type { View } from '../../filter/views.js'

export type ChartView = View & { chart: NonNullable<View['chart']> }

export const isChart = (view: View): view is ChartView => view.chart !== null

/** The languages of the conditions of each subject. */
export const LANGUAGES: Record<MetricSubject, ShownLanguage> = {
  threads: THREAD_LANGUAGE,
  runs: STEP_LANGUAGE,
  steps: STEP_LANGUAGE,
  generations: GENERATION_LANGUAGE,
  scores: SCORE_LANGUAGE,
}

/** The titles of the values that a subject has. */
export const metricsOf = (subject: MetricSubject): Partial<Record<Metric, string>> =>
  subject === 'scores'
    ? { mean: 'mean value', count: 'number' }
    : {
        count: 'number',
        errors: 'share that failed',
        percentiles: 'duration, percentiles',
        tokens: 'tokens',
        cost: 'cost',
      }

/** Returns the position of a chart after a move by one place; undefined at the end. */
export const positionBetween = (
  charts: readonly { position: number | null }[],
  index: number,
  by: -1 | 1,
): number | undefined => {
  const near = charts[index + by]
  if (near === undefined) return undefined
  const at = near.position ?? 0
  const far = charts[index + 2 * by]
  return far === undefined ? at + by : (at + (far.position ?? 0)) / 2
}
