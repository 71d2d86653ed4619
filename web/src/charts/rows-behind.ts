import type { MetricSubject } from '../../../generated/schema.js'
import { quote } from '../filter/show.js'
import { plural } from '../format/number.js'
import type { RowsLink } from './chart-props.js'
import { type Metric, NOUNS } from './series.js'
import type { Extent } from './use-measure.js'

const PATHS: Record<MetricSubject, string> = {
  threads: '/threads',
  runs: '/steps',
  steps: '/steps',
  generations: '/generations',
  scores: '/scores',
}

/** The condition for rows that a metric counts as failed. A step fails with its model call, and a generation with its step. */
const FAILED: Record<MetricSubject, string> = {
  threads: 'error:any',
  runs: 'failure:any',
  steps: 'failure:any',
  generations: 'failure:any',
  // None is counted.
  scores: '',
}

/** Returns conditions as one: those that have an `or` on their own keep together. */
const joined = (conditions: readonly string[]): string => {
  const [first = '', ...others] = conditions.filter((one) => one !== '')
  return others.length === 0 ? first : [first, ...others].map(inBrackets).join(' ')
}

const inBrackets = (text: string): string => (/\bOR\b/.test(text) ? `(${text})` : text)

/** Returns the link to the rows behind a bucket of a chart, named by them; undefined when there are none. */
export const rowsBehind = (
  subject: MetricSubject,
  metric: Metric,
  [start, end]: readonly [start: number, end: number],
  rows: { count: number; errorCount: number },
  { environment, excludeExperiments = false, query = '' }: Extent,
  name: string | undefined,
): RowsLink | undefined => {
  const isOfErrors = metric === 'errors'
  const count = isOfErrors ? rows.errorCount : rows.count
  if (count === 0) return undefined
  const parameters = new URLSearchParams({
    range: `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`,
  })
  // The list of scores knows no environment.
  const isNarrowed = subject === 'scores' && (environment != null || excludeExperiments)
  if (environment != null && subject !== 'scores') parameters.set('env', environment)
  const conditions = [
    query,
    subject === 'runs' ? 'type=run' : '',
    isOfErrors ? FAILED[subject] : '',
    excludeExperiments && subject !== 'scores' ? 'env!=experiment' : '',
    subject === 'scores' && name !== undefined ? `name=${quote(name)}` : '',
  ]
  const q = joined(conditions)
  if (q !== '') parameters.set('q', q)
  const noun = `${isOfErrors ? 'failed ' : ''}${NOUNS[subject]}`
  return {
    href: `${PATHS[subject]}?${parameters}`,
    text: isNarrowed ? `all ${noun}s of this time` : plural(count, noun),
  }
}
