import type { Domain } from '../domain/domain.js'
import type { Admission } from './admission/admission.js'
import { Metrics } from './metrics.js'

/** Creates the metrics of a service, besides those of its answers. */
export const createMetrics = (
  { limiter, room, answers, rate }: Admission,
  { alertEvaluator, alertCalls }: Pick<Domain, 'alertEvaluator' | 'alertCalls'>,
): Metrics => {
  const metrics = new Metrics()
  metrics.add(
    'stepwell_requests_in_progress',
    'Requests in progress.',
    'gauge',
    () => limiter.state.inside,
  )
  metrics.add(
    'stepwell_requests_waiting',
    'Requests that wait.',
    'gauge',
    () => limiter.state.waiting,
  )
  metrics.add(
    'stepwell_request_bytes_held',
    'Bytes of memory that request bodies take.',
    'gauge',
    () => room.state.bytes,
  )
  metrics.add(
    'stepwell_answer_bytes_held',
    'Bytes of memory that rows for answers take, until they were sent.',
    'gauge',
    () => answers.state.bytes,
  )
  metrics.add(
    'stepwell_requests_sent_away_total',
    'Requests rejected because too many were waiting.',
    'counter',
    () => limiter.state.rejected + room.state.rejected + answers.state.rejected,
  )
  metrics.add(
    'stepwell_requests_rate_limited_total',
    'Requests rejected by the rate limit of their key.',
    'counter',
    () => rate.refused,
  )
  for (const [name, help, read] of [
    ['evaluations', 'Evaluations of alerts.', () => alertEvaluator.counts.evaluated],
    [
      'evaluations_failed',
      'Evaluations of alerts that failed.',
      () => alertEvaluator.counts.failed,
    ],
    ['calls', 'Calls of webhooks of alerts.', () => alertCalls.counts.attempts],
    ['calls_failed', 'Calls of webhooks of alerts that failed.', () => alertCalls.counts.failed],
  ] as const)
    metrics.add(`stepwell_alert_${name}_total`, help, 'counter', read)
  metrics.add('process_resident_memory_bytes', 'Memory of the process.', 'gauge', () =>
    process.memoryUsage.rss(),
  )
  metrics.add('process_cpu_seconds_total', 'CPU time of the process.', 'counter', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  return metrics
}
