import '../../charts/charts.css'
import './overview.css'
import type { MetricDimension } from '../../../../generated/schema.js'
import { choiceNotices } from '../../address/notices.js'
import { useAddress } from '../../address/use-address.js'
import { DIMENSIONS } from '../../charts/dimensions.js'
import { MetricChart } from '../../charts/metric-chart.js'
import { choice, line } from '../../format/text.js'
import { RangeSelect } from '../../list/range/range-select.js'
import { useSpan } from '../../list/range/use-span.js'
import { EnvironmentSelect } from '../../ui/environment-select.js'
import { Notices } from '../../ui/notices.js'
import { ProblemView } from '../../ui/problem-view.js'
import { Top } from '../../ui/top.js'
import { Extremes } from './extremes.js'
import { Figures } from './figures.js'
import { useScoreNames } from './use-score-names.js'

/** The splits of this page, which most of its charts have. */
const SPLITS = [
  'model',
  'environment',
  'promptVersion',
  'release',
] as const satisfies readonly MetricDimension[]

/** Health and changes: figures against the period before, and charts that lead to the rows behind them. */
export const OverviewPage = () => {
  const address = useAddress()
  const { range, span, env, environment, excludeExperiments, ...measured } = useSpan()
  const asked = address.get('by')
  const by = SPLITS.find((split) => split === asked)
  const scores = useScoreNames(address.get('score'), { ...span, environment, excludeExperiments })
  const notices = [
    ...measured.notices,
    ...choiceNotices('split', asked, SPLITS, 'The charts are not split.'),
    ...scores.notices,
  ]
  const extent = { ...span, environment, excludeExperiments, by }
  const common = { ...extent, onRange: measured.onRange, onReset: measured.onReset }
  const isWaiting = scores.isLoading || scores.problem !== undefined
  const scoreTitle = `${line(scores.name ?? 'Scores', 40)}, mean`
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
          {SPLITS.map((split) => (
            <option key={split} value={split}>
              by {DIMENSIONS[split]}
            </option>
          ))}
        </select>
        <EnvironmentSelect value={env} onChange={measured.setEnv} hidesExperiments />
        <select
          className="field score-select"
          aria-label="Score"
          value={scores.name ?? ''}
          disabled={scores.names.length === 0}
          onChange={(event) => address.set({ score: event.target.value })}
        >
          {scores.names.length === 0 && (
            <option value="">{isWaiting ? 'scores' : 'no scores'}</option>
          )}
          {scores.names.map((name) => (
            <option key={name} value={name}>
              {choice(name)}
            </option>
          ))}
        </select>
        <RangeSelect value={range} onChange={measured.setRange} isBounded />
      </Top>
      <div className="page">
        <Notices texts={notices} />
        {scores.problem !== undefined && (
          <ProblemView
            problem={scores.problem}
            retry={scores.refresh}
            note="Scores are not shown."
          />
        )}
        <Figures
          {...extent}
          scoreName={scores.name}
          noScore={scores.problem !== undefined ? 'unknown' : scores.isLoading ? '…' : '–'}
        />
        <div className="charts" data-split={by}>
          <MetricChart {...common} subject="threads" metric="count" title="Threads" />
          <MetricChart
            {...common}
            subject="runs"
            metric="percentiles"
            title="Duration of runs"
            unit="logarithmic"
          />
          <MetricChart {...common} subject="generations" metric="tokens" title="Tokens" />
          <MetricChart {...common} subject="generations" metric="cost" title="Cost" />
          <MetricChart
            {...common}
            subject="steps"
            metric="errors"
            title="Steps that failed"
            unit="share"
          />
          <MetricChart
            {...common}
            subject="generations"
            metric="percentiles"
            title="Duration of generations"
            unit="logarithmic"
          />
          <MetricChart
            {...common}
            subject="scores"
            metric="mean"
            title={scoreTitle}
            name={scores.name}
            isWaiting={isWaiting}
          />
          <Extremes
            from={span.from}
            to={span.to}
            environment={environment}
            excludeExperiments={excludeExperiments}
            scoreName={scores.name}
            isWaiting={isWaiting}
          />
        </div>
      </div>
    </>
  )
}
