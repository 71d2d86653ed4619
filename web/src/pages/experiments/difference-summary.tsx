import { plural, score as showScore, signed } from '../../format/number.js'
import { line } from '../../format/text.js'
import { conclusionOf, pairedDifference } from '../../stats/bootstrap.js'
import { IntervalBar, SignedIntervalText } from '../../stats/interval.js'
import { type Better, type ComparedExperiment, type ComparedItem, deltaOf } from './comparison.js'

/** The change of the score against the base: size, interval and number of items. */
export const DifferenceSummary = ({
  base,
  experiment,
  index,
  items,
  better,
}: {
  base: ComparedExperiment | undefined
  experiment: ComparedExperiment
  index: number
  items: readonly ComparedItem[]
  better: Better
}) => {
  const deltas = items.flatMap((item) => {
    const delta = deltaOf(item, index)
    return delta === undefined ? [] : [delta]
  })
  const missing = items.filter(
    ({ cells }) => (cells[0] === undefined) !== (cells[index] === undefined),
  ).length
  if (deltas.length === 0)
    return (
      <p>
        <bdi>{line(experiment.name)}</bdi>: no item has a score in both. Base has{' '}
        {base?.results.length ?? 0} results, this one {experiment.results.length}.
      </p>
    )
  const difference = pairedDifference(deltas)
  const conclusion = conclusionOf(difference, better)
  const mean = (which: number) => {
    const values = items
      .filter((item) => deltaOf(item, index) !== undefined)
      .map(({ cells }) => cells[which]?.score ?? 0)
    return values.reduce((sum, value) => sum + value, 0) / values.length
  }
  const up = deltas.filter((delta) => delta > 0).length
  const down = deltas.filter((delta) => delta < 0).length
  const [good, bad] = better === 'LOWER' ? [down, up] : [up, down]
  return (
    <p className="row wrap">
      <strong>
        <bdi>{line(experiment.name)}</bdi>
      </strong>
      <span>
        {showScore(mean(0))} → {showScore(mean(index))}
      </span>
      <strong>{signed(difference.mean)}</strong>
      {difference.interval !== undefined && (
        <>
          <IntervalBar
            low={difference.interval[0]}
            high={difference.interval[1]}
            mean={difference.mean}
          />
          <SignedIntervalText interval={difference.interval} />
        </>
      )}
      <strong className={conclusion === 'better' ? 'good' : conclusion === 'worse' ? 'bad' : ''}>
        {conclusion === 'better' ? '▲ better' : conclusion === 'worse' ? '▼ worse' : conclusion}
      </strong>
      <span className="soft">
        {plural(difference.pairs, 'pair')} · {bad} worse · {good} better ·{' '}
        {deltas.length - up - down} same · {missing} missing
      </span>
    </p>
  )
}
