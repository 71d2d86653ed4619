import '../../charts/charts.css'
import { useMemo } from 'react'
import { FacetsDocument } from '../../../generated/operations.js'
import { useAddress } from '../../address/use-address.js'
import { MetricChart } from '../../charts/metric-chart.js'
import { useData } from '../../data/use-data.js'
import { line } from '../../format/text.js'
import { RangeSelect, rangeOf, rangeStart } from '../../list/range-select.js'
import { EnvironmentSelect } from '../../ui/environment-select.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { Extremes } from './extremes.js'
import { Figures } from './figures.js'

const DEFAULT_RANGE = '7d'

const SPLITS: Record<string, string> = {
  model: 'by model',
  environment: 'by environment',
  promptVersion: 'by prompt version',
  release: 'by release',
}

/** Health and changes: figures against the period before, and charts that lead to the rows behind them. */
export const OverviewPage = () => {
  const address = useAddress()
  const range = address.get('range') ?? DEFAULT_RANGE
  const asked = address.get('by')
  const by = asked !== undefined && Object.hasOwn(SPLITS, asked) ? asked : undefined
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
        {names.problem !== undefined && (
          <ProblemView problem={names.problem} retry={names.refresh} note="Scores are not shown." />
        )}
        <Figures {...common} scoreName={scoreName} />
        <div className="charts">
          <MetricChart {...common} subject="threads" metric="count" title="Threads" />
          <MetricChart
            {...common}
            subject="runs"
            metric="percentiles"
            title="Duration of runs, log"
          />
          <MetricChart {...common} subject="generations" metric="tokens" title="Tokens" />
          <MetricChart {...common} subject="generations" metric="cost" title="Cost" />
          <MetricChart
            {...common}
            subject="steps"
            metric="errors"
            title="Steps that failed, share"
          />
          <MetricChart
            {...common}
            subject="generations"
            metric="percentiles"
            title="Duration of generations, log"
          />
          {scoreName !== undefined && (
            <MetricChart
              {...common}
              subject="scores"
              metric="mean"
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
    const hours = rangeOf(range)?.hours ?? 1
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
