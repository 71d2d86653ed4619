import { MetricsForAgentDocument, type MetricsForAgentQuery } from '../../generated/agents.js'
import type { MetricDimension, MetricSubject } from '../../generated/schema.js'
import { invalidArgument } from '../errors.js'
import { type Answer, type Budgeted, budgetOf, Lines } from './budget.js'
import { ask, type Source } from './source.js'
import { quote, round, shownCost, shownMs, UNTRUSTED } from './text.js'

export interface QueryRequest extends Budgeted {
  /** The rows to measure. */
  subject: MetricSubject
  /** Conditions, as the filter field of the web UI takes them. Default: all pass. */
  query?: string | undefined
  /** The start of the range: a time by ISO 8601, or as long ago as `30m`, `24h`, `7d`. Default: `7d`. */
  from?: string | undefined
  /** The end of the range, in the same form. Default: now. */
  to?: string | undefined
  /** The property that splits the rows: a line for each of the five largest values, and one for the rest. */
  by?: MetricDimension | undefined
  /** The number of spans of equal length, each a line of its own: 1 to 500. Default: 1, the whole range alone. */
  buckets?: number | undefined
  /** For scores: only those of this name. */
  name?: string | undefined
  /** Only rows of this environment. */
  environment?: string | undefined
}

type Series = MetricsForAgentQuery['metrics']['series'][number]
type Measurement = Series['total']

/**
 * Measures rows that pass a query in at most so many tokens: counts, failures, percentiles of durations, tokens, costs, and the
 * mean of scores, for the whole range, by a property, or over time.
 *
 * @returns the answer, a measurement in each line.
 * @throws `INVALID_ARGUMENT` when a part of the request is invalid, and `TOO_LARGE` when the query has to read too many rows.
 */
export const query = async (source: Source, request: QueryRequest): Promise<Answer> => {
  const lines = new Lines(budgetOf(request))
  const { subject, buckets = 1, by = null, name = null, environment = null } = request
  const now = Date.now()
  const from = momentOf('from', request.from ?? '7d', now)
  const to = momentOf('to', request.to ?? new Date(now).toISOString(), now)
  const { metrics } = await ask(source, MetricsForAgentDocument, {
    subject,
    query: request.query ?? null,
    from,
    to,
    by,
    buckets,
    name,
    environment,
  })
  lines.add(`${subject} from ${from} to ${to}${by === null ? '' : `, by ${by}`}`)
  lines.add(UNTRUSTED)
  const rows = metrics.series.flatMap((series) => linesOf(series, by, buckets))
  let shown = 0
  for (const row of rows) {
    if (!lines.addBefore(moreOf(rows.length), row)) break
    shown++
  }
  if (shown < rows.length) lines.add(moreOf(rows.length - shown))
  if (metrics.series.every(({ total }) => total.count === 0))
    lines.add('no rows; is the range the right one?')
  return lines.answer()
}

const moreOf = (count: number): string =>
  `(${count} lines more; ask with a larger budget or fewer buckets)`

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const momentOf = (field: string, text: string, now: number): string => {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const ms = count === undefined ? Date.parse(text) : now - Number(count) * (UNITS_MS[unit] ?? 0)
  if (!Number.isFinite(ms) || (count === undefined && !/^\d{4}-/.test(text)))
    throw invalidArgument(
      `${field}: expected a time by ISO 8601, or as long ago as 30m, 24h or 7d, got ${JSON.stringify(text)}`,
    )
  return new Date(ms).toISOString()
}

const MAX_KEY = 120

const linesOf = (series: Series, by: MetricDimension | null, buckets: number): string[] => {
  const value = series.key === null ? `no ${by}` : quote(series.key, MAX_KEY)
  const head = by === null ? 'all' : series.isRest ? 'the rest' : `${by} ${value}`
  const inTime =
    buckets === 1
      ? []
      : series.buckets.map((bucket) => `  ${bucket.start} · ${factsOf(bucket).join(' · ')}`)
  return [[head, ...factsOf(series.total)].join(' · '), ...inTime]
}

const factsOf = (measured: Measurement): string[] => {
  const { count, errorCount, p50, p95, p99, inputTokens, outputTokens, cost, unpricedCount } =
    measured
  const share = count === 0 ? '' : ` (${round((100 * errorCount) / count)} %)`
  const time = (seconds: number | null) => (seconds === null ? '?' : shownMs(seconds * 1000))
  return [
    `${count} rows`,
    errorCount === 0 ? undefined : `${errorCount} failed${share}`,
    p50 === null ? undefined : `p50 ${time(p50)}, p95 ${time(p95)}, p99 ${time(p99)}`,
    inputTokens === null && outputTokens === null
      ? undefined
      : `tokens ${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out`,
    cost === null ? undefined : shownCost(cost),
    unpricedCount === 0 ? undefined : `${unpricedCount} without a price`,
    measured.mean === null
      ? undefined
      : `mean ${round(measured.mean)}${measured.deviation === null ? '' : `, deviation ${round(measured.deviation)}`}`,
  ].filter((fact) => fact !== undefined)
}
