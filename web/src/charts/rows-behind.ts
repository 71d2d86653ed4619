import type { MetricSubject } from '../../../generated/schema.js'
import { quote } from '../filter/show.js'
import type { Metric } from './series.js'

/** Returns the link to the rows behind a bucket of a chart. */
export const rowsBehind = (
  subject: MetricSubject,
  metric: Metric,
  start: number,
  end: number,
  environment: string | null | undefined,
  name: string | undefined,
): string => {
  const parameters = new URLSearchParams({
    range: `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`,
  })
  if (environment != null && subject !== 'scores') parameters.set('env', environment)
  if (subject === 'scores') {
    parameters.set('q', `name=${quote(name ?? '')}`)
    return `/scores?${parameters}`
  }
  if (subject === 'threads') return `/threads?${parameters}`
  if (subject === 'generations') return `/generations?${parameters}`
  parameters.set(
    'q',
    [subject === 'runs' ? 'type=run' : '', metric === 'errors' ? 'error:any' : ''].join(' ').trim(),
  )
  return `/steps?${parameters}`
}
