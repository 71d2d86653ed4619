import type {
  AlertComparison,
  AlertEventType,
  AlertMetric,
  AlertState,
  AlertSubject,
} from '../../../generated/resolvers.js'

/** An event of an alert, with what its webhook hears of it. */
export interface Told {
  /** The page of the alert; null when the service does not know its own URL. */
  url: string | null
  projectId: string
  eventId: string
  createdAt: string
  type: AlertEventType
  state: AlertState | null
  value: number | null
  message: string | null
  alert: {
    id: string
    name: string
    subject: AlertSubject
    query: string
    environment: string | null
    metric: AlertMetric
    comparison: AlertComparison
    threshold: number
    windowMinutes: number
  }
}

const METRICS: Readonly<Record<AlertMetric, string>> = {
  COUNT: 'number',
  ERROR_COUNT: 'number of errors',
  ERROR_RATE: 'share of errors',
  DURATION_P50: 'median duration in seconds',
  DURATION_P95: '95th percentile of durations in seconds',
  DURATION_P99: '99th percentile of durations in seconds',
  COST: 'cost in dollars',
  TOKENS: 'number of tokens',
  SCORE_MEAN: 'mean',
}

const KINDS = { OK: 'resolved', FIRING: 'firing', FAILED: 'failed', NO_DATA: 'no_data' } as const

/** Returns the address of an alert in the web UI, with its history. */
export const pageOf = (publicUrl: string | undefined, projectId: string, alertId: string) =>
  publicUrl === undefined
    ? null
    : `${publicUrl}/projects/${encodeURIComponent(projectId)}/settings/alerts?alert=${encodeURIComponent(alertId)}`

/** Returns the body of a call. Its `text` is what incoming webhooks of Slack and compatible services show. */
export const bodyOf = (told: Told): string => {
  const { url, projectId, eventId, createdAt, type, state, value, message, alert } = told
  return JSON.stringify({
    type: `alert.${type === 'TEST' ? 'test' : KINDS[state ?? 'OK']}`,
    timestamp: createdAt,
    text: url === null ? textOf(told) : `${textOf(told)} ${url}`,
    data: {
      id: eventId,
      url,
      projectId,
      reason: type,
      state,
      value,
      message,
      alert: {
        id: alert.id,
        name: alert.name,
        subject: alert.subject,
        query: alert.query,
        environment: alert.environment,
        metric: alert.metric,
        comparison: alert.comparison,
        threshold: alert.threshold,
        windowMinutes: alert.windowMinutes,
      },
    },
  })
}

const textOf = ({ type, state, value, message, alert }: Told): string => {
  const name = escaped(alert.name)
  if (type === 'TEST')
    return `Test: ${name}. This call was asked for; it says nothing of the state.`
  if (state === 'FAILED')
    return `Failed: ${name}. The value could not be computed: ${escaped(message ?? 'no reason is known')}`
  const { metric, subject, comparison, threshold, windowMinutes } = alert
  const side = comparison.toLowerCase()
  const relation = state === 'FIRING' ? side : `not ${side}`
  const begin = state === 'FIRING' ? (type === 'REPEATED' ? 'Still firing' : 'Firing') : 'Resolved'
  return `${begin}: ${name}. The ${METRICS[metric]} of ${subject.toLowerCase()} is ${shown(value)}, ${relation} ${shown(threshold)}, over the last ${lengthOf(windowMinutes)}.`
}

/** Slack reads `<!channel>` and links in texts, unless these characters are escaped. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const shown = (value: number | null): string =>
  value === null ? 'unknown' : String(Number(value.toPrecision(6)))

const lengthOf = (minutes: number): string => {
  for (const [unit, size] of [
    ['day', 1440],
    ['hour', 60],
  ] as const)
    if (minutes % size === 0) return minutes === size ? unit : `${minutes / size} ${unit}s`
  return `${minutes} minutes`
}
