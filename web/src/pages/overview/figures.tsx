import { type Extent, type Measurement, totalOf, useMeasure } from '../../charts/use-measure.js'
import { atLeast } from '../../format/money.js'
import { count, percent, score as showScore } from '../../format/number.js'
import { line } from '../../format/text.js'
import { duration } from '../../format/time.js'
import { IntervalText } from '../../stats/interval.js'
import { intervalOfMean } from '../../stats/statistics.js'
import { changeOf, changeOfMeans } from './changes.js'

type Measurements = ReturnType<typeof useMeasure>

/** Returns the totals of a range and of the one before it. Figures of another range would be taken for those of this one. */
const totalsOf = ({ data, isPrevious }: Measurements) =>
  isPrevious || data === undefined
    ? undefined
    : { now: totalOf(data), before: data.earlier.series[0]?.total }

/** A measurement of no rows. */
const isNone = (total: Measurement | undefined) => total === undefined || total.count === 0

interface Shown {
  name: string
  measured: Measurements
  value: (total: Measurement) => number | null
  show: (value: number | null, total: Measurement | undefined) => string
  /** True for figures that are 0 without rows. */
  isSum?: boolean
  good?: 'up' | 'down'
  isShare?: boolean
}

const Figure = ({ name, measured, value, show, isSum = false, good, isShare = false }: Shown) => {
  const totals = totalsOf(measured)
  const figureOf = (total: Measurement | undefined) =>
    total !== undefined && !isNone(total) ? value(total) : isSum ? 0 : null
  const [now, before] = [figureOf(totals?.now), figureOf(totals?.before)]
  const { text, word, isUp } = changeOf(now, before, { good, isShare })
  return (
    <div className="figure">
      <span className="soft">{name}</span>
      <strong>
        {totals === undefined ? <Placeholder {...measured} /> : show(now, totals.now)}
      </strong>
      <span className={word === 'better' ? 'good' : word === 'worse' ? 'bad' : 'quiet'}>
        {totals !== undefined && text} {word && `${isUp ? '▲' : '▼'} ${word}`}
      </span>
      <span className="quiet">
        {totals !== undefined &&
          (before === null || (isNone(totals.before) && !isSum)
            ? 'nothing before'
            : `before: ${show(before, totals.before)}`)}
      </span>
      <WithoutDeleted {...measured} />
    </div>
  )
}

/** Says that a figure leaves out what was deleted, though some figures of it are kept. */
const WithoutDeleted = ({ data, isPrevious }: Measurements) =>
  !isPrevious && data?.now.leavesOutDeleted ? (
    <span className="quiet">without deleted data</span>
  ) : null

/** A figure that is loading or has failed. */
const Placeholder = ({ problem, refresh }: Measurements) =>
  problem === undefined ? (
    <>…</>
  ) : (
    <span className="row" title={problem.message}>
      unknown
      <button type="button" className="button small" onClick={refresh}>
        Retry
      </button>
    </span>
  )

/** The totals of a range, against the range of the same length before it. Each loads and fails alone. */
export const Figures = ({
  scoreName,
  noScore,
  ...extent
}: Extent & {
  scoreName: string | undefined
  /** Stands where a mean would be, as long as there is no name of a score. */
  noScore: string
}) => {
  const threads = useMeasure('threads', extent)
  const steps = useMeasure('steps', extent)
  const runs = useMeasure('runs', extent)
  const generations = useMeasure('generations', extent)
  return (
    <div className="figures overview-figures">
      <Figure name="Threads" measured={threads} value={(all) => all.count} show={count} isSum />
      <Figure
        name="Steps that failed"
        measured={steps}
        value={(all) => all.errorCount / all.count}
        show={percent}
        good="down"
        isShare
      />
      <Figure
        name="p95 of runs"
        measured={runs}
        value={(all) => all.p95}
        show={(seconds) => duration(seconds === null ? null : seconds * 1000)}
        good="down"
      />
      <Figure name="Tokens" measured={generations} value={(all) => all.tokens} show={count} isSum />
      <Figure
        name="Cost"
        measured={generations}
        value={(all) => all.cost}
        show={(cost, total) => atLeast(cost, (total?.unpricedCount ?? 0) > 0)}
        isSum
      />
      <ScoreFigure {...extent} name={scoreName} none={noScore} />
    </div>
  )
}

const ScoreFigure = ({
  name,
  none,
  ...extent
}: Extent & { name: string | undefined; none: string }) => {
  const measured = useMeasure('scores', extent, name, { pause: name === undefined })
  const totals = totalsOf(measured)
  const { now, before } = totals ?? {}
  const change = changeOfMeans(now, before)
  return (
    <div className="figure">
      <bdi className="soft">{name === undefined ? 'Scores' : line(name, 40)}, mean</bdi>
      <strong>
        {name === undefined ? (
          none
        ) : totals === undefined ? (
          <Placeholder {...measured} />
        ) : (
          showScore(now?.mean)
        )}
      </strong>
      <span className="quiet">
        {now?.mean != null && (
          <>
            <IntervalText interval={intervalOfMean(now.mean, now.deviation, now.count)} /> n{' '}
            {count(now.count)}
          </>
        )}
      </span>
      <span className="quiet" title={change}>
        {totals !== undefined &&
          (before?.mean == null
            ? 'nothing before'
            : `before: ${showScore(before.mean)} · ${change}`)}
      </span>
      <WithoutDeleted {...measured} />
    </div>
  )
}
