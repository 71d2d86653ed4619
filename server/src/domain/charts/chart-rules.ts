import type { ChartSettingsInput, MetricSubject } from '../../../generated/resolvers.js'
import { invalid } from '../../kernel/errors.js'
import type { ListName } from '../../query/languages.js'
import { SUBJECTS } from '../../storage/metrics.js'
import type { ViewRow } from '../../storage/reading/views.js'

/** The columns of a chart. */
export type ChartColumns = Pick<
  ViewRow,
  'chartSubject' | 'chartMetric' | 'chartSplit' | 'chartScore'
>

/** The lists whose queries the subjects of charts take. */
export const LIST_OF: Record<MetricSubject, ListName> = {
  threads: 'threads',
  runs: 'steps',
  steps: 'steps',
  generations: 'generations',
  scores: 'scores',
}

const DIMENSIONS_OF_SCORES = ['environment', 'release', 'name', 'model', 'promptVersion']

/** Returns the splits of a subject. */
const dimensionsOf = (subject: MetricSubject): readonly string[] =>
  subject === 'scores' ? DIMENSIONS_OF_SCORES : Object.keys(SUBJECTS[subject].dimensions)

/** Checks the measurement of a chart: its rows must have the value and the split. */
export const checkChart = ({ subject, metric, by, score }: ChartSettingsInput): void => {
  const isOfScores = subject === 'scores'
  if (metric !== 'count' && isOfScores !== (metric === 'mean'))
    throw invalid(
      isOfScores
        ? `chart.metric: scores have count and mean, not ${metric}`
        : `chart.metric: only scores have a mean; expected count, errors, percentiles, tokens or cost for ${subject}`,
    )
  const dimensions = dimensionsOf(subject)
  if (by != null && !dimensions.includes(by))
    throw invalid(`chart.by: ${subject} can be split by ${dimensions.join(', ')}, not by ${by}`)
  if (score != null && !isOfScores)
    throw invalid(`chart.score: expected none for ${subject}, which are no scores`)
}

export const columnsOf = (chart: ChartSettingsInput | null | undefined): ChartColumns => ({
  chartSubject: chart?.subject ?? null,
  chartMetric: chart?.metric ?? null,
  chartSplit: chart?.by ?? null,
  chartScore: chart?.score ?? null,
})

/** Returns the measurement of a view; null when it is that of a list. */
export const chartOf = ({ chartSubject, chartMetric, chartSplit, chartScore }: ChartColumns) =>
  chartSubject === null || chartMetric === null
    ? null
    : { subject: chartSubject, metric: chartMetric, by: chartSplit, score: chartScore }
