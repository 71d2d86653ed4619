import type {
  AlertEventFieldsFragment,
  AlertFieldsFragment,
} from '../../../../generated/operations.js'
import { dollars } from '../../../format/money.js'
import { count, percent, plural, score } from '../../../format/number.js'
import { duration } from '../../../format/time.js'

export type Alert = AlertFieldsFragment
export type Subject = Alert['subject']
export type Metric = Alert['metric']

export const SUBJECTS: Readonly<Record<Subject, string>> = {
  THREADS: 'Threads',
  STEPS: 'Steps',
  GENERATIONS: 'Generations',
  SCORES: 'Scores',
}

export const METRICS: Readonly<Record<Metric, string>> = {
  COUNT: 'number',
  ERROR_COUNT: 'errors',
  ERROR_RATE: 'share of errors (0 to 1)',
  DURATION_P50: 'p50 duration (seconds)',
  DURATION_P95: 'p95 duration (seconds)',
  DURATION_P99: 'p99 duration (seconds)',
  COST: 'cost (dollars)',
  TOKENS: 'tokens',
  SCORE_MEAN: 'mean',
}

const SHORT: Readonly<Partial<Record<Metric, string>>> = {
  ERROR_RATE: 'share of errors',
  DURATION_P50: 'p50 duration',
  DURATION_P95: 'p95 duration',
  DURATION_P99: 'p99 duration',
  COST: 'cost',
}

/** Lists the values that can be computed of some rows. */
export const metricsOf = (subject: Subject): Metric[] =>
  subject === 'SCORES'
    ? ['SCORE_MEAN', 'COUNT']
    : (Object.keys(METRICS) as Metric[]).filter((metric) => metric !== 'SCORE_MEAN')

export const WINDOWS: readonly (readonly [minutes: number, name: string])[] = [
  [5, '5 minutes'],
  [15, '15 minutes'],
  [60, '1 hour'],
  [360, '6 hours'],
  [1440, '1 day'],
  [10_080, '7 days'],
]

export const windowName = (minutes: number): string =>
  WINDOWS.find(([one]) => one === minutes)?.[1] ?? `${minutes} minutes`

/** Shows a value in its unit. */
export const shownValue = (metric: Metric, value: number | null): string => {
  if (value === null) return '–'
  if (metric === 'ERROR_RATE') return percent(value)
  if (metric.startsWith('DURATION')) return duration(value * 1000)
  if (metric === 'COST') return dollars(value)
  return metric === 'SCORE_MEAN' ? score(value) : count(value)
}

/** Says when an alert fires. */
export const conditionOf = ({ subject, metric, comparison, threshold, windowMinutes }: Alert) =>
  `${SHORT[metric] ?? METRICS[metric]} of ${SUBJECTS[subject].toLowerCase()} ${comparison.toLowerCase()} ${shownValue(metric, threshold)} over ${windowName(windowMinutes)}`

const PATHS: Readonly<Record<Subject, string>> = {
  THREADS: '/threads',
  STEPS: '/steps',
  GENERATIONS: '/generations',
  SCORES: '/scores',
}

/** Returns the list of the rows that an alert watches now, as far as the ranges of lists allow. */
export const listOf = ({ subject, query, environment }: Alert): string => {
  const given = Object.entries({ q: query, env: environment }).filter(([, value]) => value)
  return `${PATHS[subject]}?${new URLSearchParams(given as [string, string][])}`
}

export const STATES: Readonly<Record<NonNullable<Alert['state']>, string>> = {
  OK: 'OK',
  FIRING: 'firing',
  NO_DATA: 'no data',
  FAILED: 'failed',
}

type Call = NonNullable<AlertEventFieldsFragment['call']>

/** Says where a call of the webhook is. */
export const outcomeOf = (call: Call | null): string => {
  if (call === null) return 'none'
  const { state, attempts, status, error } = call
  if (state === 'DELIVERED') return `delivered (${status})`
  const reason = error === null ? '' : `: ${error}`
  if (state === 'FAILED') return `failed${reason}`
  return attempts === 0 ? 'pending' : `pending, ${plural(attempts, 'attempt')}${reason}`
}

/** Says why there is an event. */
export const reasonOf = (type: AlertEventFieldsFragment['type'], state: string): string => {
  if (type === 'TEST') return 'test'
  if (type === 'REPEATED') return `still ${state}`
  return type === 'QUIET_ENDED' ? `${state} after quiet hours` : state
}

/** The rows of a new alert. */
export interface Start {
  subject: Subject
  query: string
  environment: string | null
  name: string
}

/** Reads the rows of a new alert from an address. */
export const startOf = (get: (name: string) => string | undefined): Start | undefined => {
  const subject = get('new') ?? ''
  if (!Object.hasOwn(SUBJECTS, subject)) return undefined
  return {
    subject: subject as Subject,
    query: get('q') ?? '',
    environment: get('env') ?? null,
    name: get('name') ?? '',
  }
}
