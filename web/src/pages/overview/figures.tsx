import { type Extent, type Measurement, useMeasure } from '../../charts/use-measure.js'
import { dollars } from '../../format/money.js'
import { count, percent, score as showScore, signed } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { IntervalText } from '../../stats/interval.js'
import { intervalOfMean } from '../../stats/statistics.js'
import { ProblemView } from '../../ui/problem-view.js'

type Measurements = ReturnType<typeof useMeasure>

/** Returns the placeholder of a figure that is loading or has failed. */
const placeholderFor = ({ problem }: Measurements): string =>
  problem === undefined ? '…' : 'unknown'

const changeOf = (now: number, before: number): string =>
  before === 0 ? '' : `${signed(Math.round(((now - before) / before) * 1000) / 10)} %`

/** The totals of a range, against the range before it. */
export const Figures = (props: Extent & { scoreName: string | undefined }) => {
  const threads = useMeasure('threads', props)
  const steps = useMeasure('steps', props)
  const runs = useMeasure('runs', props)
  const generations = useMeasure('generations', props)
  const all = [threads, steps, runs, generations]
  const failed = all.find(({ problem }) => problem !== undefined)
  // Figures of another range would be taken for those of this one.
  const totalOf = ({ data, isPrevious }: Measurements) =>
    isPrevious ? {} : { now: data?.all.series[0]?.total, before: data?.earlier.series[0]?.total }
  const figure = (
    name: string,
    loaded: Measurements,
    value: (measured: Measurement) => number | null,
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
        <strong>{now === undefined ? placeholderFor(loaded) : show(a ?? null)}</strong>
        <span className={word === 'better' ? 'good' : word === 'worse' ? 'bad' : 'quiet'}>
          {change} {word && `${isUp ? '▲' : '▼'} ${word}`}
        </span>
      </div>
    )
  }
  return (
    <>
      {failed?.problem !== undefined && (
        <ProblemView
          problem={failed.problem}
          retry={() => {
            for (const one of all) if (one.problem !== undefined) one.refresh()
          }}
        />
      )}
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
        {figure('Cost', generations, (all) => all.cost, dollars, undefined)}
        {props.scoreName !== undefined && <ScoreFigure {...props} name={props.scoreName} />}
      </div>
    </>
  )
}

const ScoreFigure = ({ name, ...props }: Extent & { name: string }) => {
  const scores = useMeasure('scores', props, name)
  const total = scores.isPrevious ? undefined : scores.data?.all.series[0]?.total
  return (
    <div className="figure">
      <bdi className="soft clip">{line(name, 40)}, mean</bdi>
      <strong>{total === undefined ? placeholderFor(scores) : showScore(total.mean)}</strong>
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
