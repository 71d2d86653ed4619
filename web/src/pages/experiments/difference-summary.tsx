import { plural, score as showScore, signed } from '../../format/number.js'
import { line } from '../../format/text.js'
import { pairedDifference, verdictOf } from '../../stats/bootstrap.js'
import { IntervalBar, SignedIntervalText } from '../../stats/interval.js'
import { type Better, type ComparedItem, deltaOf, type Run } from './comparison.js'

/** What an experiment made of the score, against the base: by how much, how sure that is, and how many items moved. */
export const Verdict = ({
  base,
  run,
  index,
  items,
  better,
}: {
  base: Run | undefined
  run: Run
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
        <bdi>{line(run.name)}</bdi>: no item has a score in both. Base has{' '}
        {base?.results.length ?? 0} results, this one {run.results.length}.
      </p>
    )
  const difference = pairedDifference(deltas)
  const verdict = verdictOf(difference, better)
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
        <bdi>{line(run.name)}</bdi>
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
      <strong className={verdict === 'better' ? 'good' : verdict === 'worse' ? 'bad' : ''}>
        {verdict === 'better' ? '▲ better' : verdict === 'worse' ? '▼ worse' : verdict}
      </strong>
      <span className="soft">
        {plural(difference.pairs, 'pair')} · {bad} worse · {good} better ·{' '}
        {deltas.length - up - down} same · {missing} missing
      </span>
    </p>
  )
}
