import './overview.css'
import { useMemo } from 'react'
import type { MetricDimension, MetricSubject } from '../../../generated/schema.js'
import { FacetsDocument, MeasureDocument, type MeasureQuery } from '../../generated/operations.js'
import { useAddress } from '../address/use-address.js'
import { useData } from '../data/use-data.js'
import { quote } from '../filter/grammar.js'
import { count, percent, plural, score as showScore, signed } from '../format/number.js'
import { line } from '../format/text.js'
import { duration } from '../format/time.js'
import { EnvironmentSelect } from '../shell/environment-select.js'
import { ProblemView } from '../shell/problem-view.js'
import { Top } from '../shell/shell.js'
import { intervalOfMean } from '../stats/bootstrap.js'
import { IntervalText } from '../stats/interval.js'
import { RANGES, RangeSelect, rangeStart } from '../table/range-select.js'
import { Chart, type Line } from './chart.js'
import { Extremes } from './extremes.js'

const BUCKETS = 48
const DEFAULT_RANGE = '7d'

type Measured = MeasureQuery['now']['series'][number]['total']
type Series = MeasureQuery['now']['series'][number]

const SPLITS: Record<string, string> = {
  model: 'by model',
  environment: 'by environment',
  promptVersion: 'by prompt version',
  release: 'by release',
}

/** Which splits a subject has; the others are shown whole. */
const splitFor = (subject: MetricSubject, by: string | undefined): MetricDimension | null => {
  if (by === undefined) return null
  const isOfCalls = by === 'model' || by === 'promptVersion'
  return isOfCalls && subject !== 'generations' && subject !== 'scores'
    ? null
    : (by as MetricDimension)
}

/** Is it healthy, and what changed: figures against the period before, and charts that lead to the rows behind them. */
export const OverviewPage = () => {
  const address = useAddress()
  const range = address.get('range') ?? DEFAULT_RANGE
  const by = address.get('by')
  const environment = address.get('env') ?? null
  const { from, to } = useMemo(() => spanOf(range), [range])
  const names = useData(FacetsDocument, { field: 'score', prefix: '' })
  const scoreName = address.get('score') ?? names.data?.facets[0]?.value
  const setRange = (start: number, end: number) =>
    address.set({
      range: `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`,
    })
  const common = {
    from,
    to,
    environment,
    by,
    onRange: setRange,
    onReset: () => address.set({ range: null }),
  }
  return (
    <>
      <Top title="Overview">
        <select
          className="field"
          aria-label="Split"
          value={by ?? ''}
          onChange={(event) => address.set({ by: event.target.value })}
        >
          <option value="">not split</option>
          {Object.entries(SPLITS).map(([key, title]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
        <EnvironmentSelect
          className="only-wide"
          value={environment ?? ''}
          onChange={(env) => address.set({ env })}
        />
        {names.data !== undefined && names.data.facets.length > 0 && (
          <select
            className="field only-wide"
            aria-label="Score"
            value={scoreName ?? ''}
            onChange={(event) => address.set({ score: event.target.value })}
          >
            {names.data.facets.map(({ value }) => (
              <option key={value}>{value}</option>
            ))}
          </select>
        )}
        <RangeSelect
          value={range}
          onChange={(value) => address.set({ range: value === DEFAULT_RANGE ? null : value })}
        />
      </Top>
      <div className="page">
        <Figures {...common} scoreName={scoreName} />
        <div className="charts">
          <MetricChart {...common} subject="threads" what="count" title="Threads" />
          <MetricChart
            {...common}
            subject="runs"
            what="percentiles"
            title="Duration of runs, log"
          />
          <MetricChart {...common} subject="generations" what="tokens" title="Tokens" />
          <MetricChart {...common} subject="steps" what="errors" title="Steps that failed, share" />
          <MetricChart
            {...common}
            subject="generations"
            what="percentiles"
            title="Duration of generations, log"
          />
          {scoreName !== undefined && (
            <MetricChart
              {...common}
              subject="scores"
              what="mean"
              title={`${line(scoreName, 40)}, mean`}
              name={scoreName}
            />
          )}
          <Extremes from={from} to={to} environment={environment} scoreName={scoreName} />
        </div>
      </div>
    </>
  )
}

const MINUTE = 60_000

/** The ends of a range; a named one ends with the minute that is running. */
const spanOf = (range: string): { from: string; to: string } => {
  const start = rangeStart(range)
  if (start !== undefined) {
    const hours = RANGES[range]?.hours ?? 1
    return {
      from: new Date(start.getTime() + MINUTE).toISOString(),
      to: new Date(start.getTime() + (hours * 60 + 1) * MINUTE).toISOString(),
    }
  }
  const [from, to] = range.split('..')
  if (from && to && Date.parse(from) < Date.parse(to))
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  return spanOf(DEFAULT_RANGE)
}

interface Common {
  from: string
  to: string
  environment: string | null
  by: string | undefined
  onRange: (start: number, end: number) => void
  onReset: () => void
}

const useMeasure = (
  subject: MetricSubject,
  { from, to, environment, by }: Common,
  name: string | undefined = undefined,
) =>
  useData(MeasureDocument, {
    subject,
    from,
    to,
    before: new Date(2 * Date.parse(from) - Date.parse(to)).toISOString(),
    buckets: BUCKETS,
    by: splitFor(subject, by),
    environment,
    name: name ?? null,
  })

const changeOf = (now: number, before: number): string =>
  before === 0 ? '' : `${signed(Math.round(((now - before) / before) * 1000) / 10)} %`

const Figures = (props: Common & { scoreName: string | undefined }) => {
  const threads = useMeasure('threads', props)
  const steps = useMeasure('steps', props)
  const runs = useMeasure('runs', props)
  const generations = useMeasure('generations', props)
  const totalOf = (loaded: { data: MeasureQuery | undefined }) => ({
    now: loaded.data?.all.series[0]?.total,
    before: loaded.data?.earlier.series[0]?.total,
  })
  const figure = (
    name: string,
    loaded: { data: MeasureQuery | undefined },
    value: (measured: Measured) => number | null,
    show: (value: number | null) => string,
    good: 'up' | 'down' | undefined,
  ) => {
    const { now, before } = totalOf(loaded)
    const [a, b] = [now && value(now), before && value(before)]
    const change = a != null && b != null ? changeOf(a, b) : ''
    const isUp = (a ?? 0) > (b ?? 0)
    const word =
      good === undefined || change === '' || a === b
        ? ''
        : (good === 'up') === isUp
          ? 'better'
          : 'worse'
    return (
      <div className="figure">
        <span className="soft">{name}</span>
        <strong>{loaded.data === undefined ? '…' : show(a ?? null)}</strong>
        <span className={word === 'better' ? 'good' : word === 'worse' ? 'bad' : 'quiet'}>
          {change} {word && `${isUp ? '▲' : '▼'} ${word}`}
        </span>
      </div>
    )
  }
  return (
    <div className="figures">
      {figure('Threads', threads, (all) => all.count, count, undefined)}
      {figure(
        'Steps that failed',
        steps,
        (all) => (all.count === 0 ? null : all.errorCount / all.count),
        percent,
        'down',
      )}
      {figure(
        'p95 of runs',
        runs,
        (all) => all.p95,
        (seconds) => duration(seconds === null ? null : seconds * 1000),
        'down',
      )}
      {figure('Tokens', generations, (all) => all.tokens, count, undefined)}
      {props.scoreName !== undefined && <ScoreFigure {...props} name={props.scoreName} />}
    </div>
  )
}

const ScoreFigure = ({ name, ...props }: Common & { name: string }) => {
  const { data } = useMeasure('scores', props, name)
  const total = data?.all.series[0]?.total
  return (
    <div className="figure">
      <bdi className="soft clip">{line(name, 40)}, mean</bdi>
      <strong>{data === undefined ? '…' : showScore(total?.mean)}</strong>
      <span className="quiet">
        {total?.mean != null && (
          <>
            <IntervalText interval={intervalOfMean(total.mean, total.deviation, total.count)} /> n{' '}
            {count(total.count)}
          </>
        )}
      </span>
    </div>
  )
}

type What = 'count' | 'errors' | 'percentiles' | 'tokens' | 'mean'

const MetricChart = ({
  subject,
  what,
  title,
  name,
  ...props
}: Common & { subject: MetricSubject; what: What; title: string; name?: string }) => {
  const loaded = useMeasure(subject, props, name)
  const { from, to } = props
  const bucketSeconds = (Date.parse(to) - Date.parse(from)) / 1000 / BUCKETS
  const starts = useMemo(
    () =>
      Array.from(
        { length: BUCKETS },
        (_, index) => Date.parse(from) / 1000 + index * bucketSeconds,
      ),
    [from, bucketSeconds],
  )
  const series = loaded.data?.now.series
  const lines = useMemo(
    () => linesOf(series ?? [], what, starts, bucketSeconds),
    [series, what, starts, bucketSeconds],
  )
  if (loaded.problem !== undefined)
    return (
      <div className="chart panel">
        <strong>{title}</strong>
        <ProblemView problem={loaded.problem} retry={loaded.refresh} />
      </div>
    )
  const total = loaded.data?.all.series[0]?.total
  return (
    <Chart
      title={title}
      caption={total === undefined ? '' : captionOf(total, subject, what)}
      starts={starts}
      bucketSeconds={bucketSeconds}
      lines={lines}
      show={SHOW[what]}
      isLog={
        what === 'percentiles' && lines.some(({ values }) => values.some((value) => value !== null))
      }
      kind={what === 'count' || what === 'tokens' ? 'bars' : 'lines'}
      linkFor={(start, end) => linkTo(subject, what, start, end, props.environment, name)}
      onRange={props.onRange}
      onReset={props.onReset}
    />
  )
}

const SHOW: Record<What, (value: number | null | undefined) => string> = {
  count,
  tokens: count,
  errors: percent,
  percentiles: (seconds) => duration(seconds == null ? null : seconds * 1000),
  mean: showScore,
}

const NOUNS: Record<MetricSubject, string> = {
  threads: 'thread',
  runs: 'run',
  steps: 'step',
  generations: 'generation',
  scores: 'score',
}

const captionOf = (total: Measured, subject: MetricSubject, what: What): string => {
  const all = plural(total.count, NOUNS[subject])
  if (what === 'percentiles')
    return total.p95 === null ? all : `${all}, p95 ${duration(total.p95 * 1000)}`
  if (what === 'errors') return `${total.errorCount} of ${all} failed`
  if (what === 'tokens') return `${count(total.tokens)} in ${all}`
  if (what === 'mean') return `${showScore(total.mean)} of ${all}`
  return all
}

const linesOf = (
  series: readonly Series[],
  what: What,
  starts: readonly number[],
  bucketSeconds: number,
): Line[] => {
  const line = (
    name: string,
    { buckets }: Series,
    value: (measured: Measured) => number | null,
    empty: number | null = null,
  ): Line => {
    const values: (number | null)[] = starts.map(() => empty)
    const counts: number[] = starts.map(() => 0)
    for (const bucket of buckets) {
      const index = Math.round(
        (Date.parse(bucket.start ?? '') / 1000 - (starts[0] ?? 0)) / bucketSeconds,
      )
      if (index < 0 || index >= values.length) continue
      values[index] = value(bucket)
      counts[index] = bucket.count
    }
    return { name, values, counts }
  }
  const nameOf = ({ key, isRest }: Series) =>
    isRest ? 'other' : key === null ? (series.length > 1 ? 'not said' : 'all') : key
  switch (what) {
    case 'count':
      return series.map((one) => line(nameOf(one), one, ({ count: n }) => n, 0))
    case 'tokens': {
      const [only] = series
      return series.length === 1 && only !== undefined && only.key === null
        ? [
            line('in and out', only, ({ tokens }) => tokens, 0),
            line('out', only, ({ outputTokens }) => outputTokens, 0),
          ]
        : series.map((one) => line(nameOf(one), one, ({ tokens }) => tokens, 0))
    }
    case 'errors':
      return series.map((one) =>
        line(nameOf(one), one, ({ errorCount, count: n }) => (n === 0 ? null : errorCount / n)),
      )
    case 'mean':
      return series.map((one) => line(nameOf(one), one, ({ mean }) => mean))
    case 'percentiles': {
      const [only] = series
      return series.length === 1 && only !== undefined && only.key === null
        ? [
            line('p50', only, ({ p50 }) => positive(p50)),
            line('p95', only, ({ p95 }) => positive(p95)),
            line('p99', only, ({ p99 }) => positive(p99)),
          ]
        : series.map((one) => line(`${nameOf(one)} p95`, one, ({ p95 }) => positive(p95)))
    }
  }
}

/** A logarithm has no place for nothing. */
const positive = (value: number | null): number | null =>
  value === null || value <= 0 ? null : value

const linkTo = (
  subject: MetricSubject,
  what: What,
  start: number,
  end: number,
  environment: string | null,
  name: string | undefined,
): string => {
  const parameters = new URLSearchParams({
    range: `${new Date(start * 1000).toISOString()}..${new Date(end * 1000).toISOString()}`,
  })
  if (environment !== null && subject !== 'scores') parameters.set('env', environment)
  if (subject === 'scores') {
    parameters.set('q', `name=${quote(name ?? '')}`)
    return `/scores?${parameters}`
  }
  if (subject === 'threads') return `/threads?${parameters}`
  if (subject === 'generations') return `/generations?${parameters}`
  parameters.set(
    'q',
    [subject === 'runs' ? 'type=run' : '', what === 'errors' ? 'error:any' : ''].join(' ').trim(),
  )
  return `/steps?${parameters}`
}
