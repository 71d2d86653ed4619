import type { MeasureQuery } from '../../generated/operations.js'
import { count, percent, score as showScore, signed } from '../format/number.js'
import { line } from '../format/text.js'
import { duration } from '../format/time.js'
import { intervalOfMean } from '../stats/bootstrap.js'
import { IntervalText } from '../stats/interval.js'
import { type Extent, type Measured, useMeasure } from './use-measure.js'

const changeOf = (now: number, before: number): string =>
  before === 0 ? '' : `${signed(Math.round(((now - before) / before) * 1000) / 10)} %`

/** What a range comes to, against the one before it. */
export const Figures = (props: Extent & { scoreName: string | undefined }) => {
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

const ScoreFigure = ({ name, ...props }: Extent & { name: string }) => {
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
