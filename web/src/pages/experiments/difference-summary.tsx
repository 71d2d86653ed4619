import { plural, score as showScore, signed } from '../../format/number.js'
import { line } from '../../format/text.js'
import { IntervalBar, SignedIntervalText } from '../../stats/interval.js'
import type { Comparison } from '../../stats/statistics.js'
import type { Better, ComparedExperiment, ScoreComparison } from './comparison.js'

/** The change of a score against the base: size, interval, verdict and its reason. */
export const DifferenceSummary = ({
  base,
  experiment,
  compared: { name, better, comparison },
  changes,
}: {
  base: ComparedExperiment | undefined
  experiment: ComparedExperiment
  compared: ScoreComparison
  /** The differences by item, of the chosen score alone. */
  changes: readonly number[] | undefined
}) => {
  const title = (
    <>
      <strong>
        <bdi>{line(experiment.name)}</bdi>
      </strong>
      <bdi className="soft">{line(name, 60)}</bdi>
    </>
  )
  const { items, groups, missing, interval, difference } = comparison
  if (items === 0)
    return (
      <p className="row wrap">
        {title}
        <span>
          no item has a score in both. Base has {base?.results.length ?? 0} results, this one{' '}
          {experiment.results.length}.
        </span>
      </p>
    )
  return (
    <p className="row wrap">
      {title}
      <span>
        {showScore(comparison.base)} → {showScore(comparison.candidate)}
      </span>
      <strong>{signed(difference)}</strong>
      {interval !== null && (
        <>
          <IntervalBar low={interval.low} high={interval.high} mean={difference} />
          <SignedIntervalText interval={interval} />
        </>
      )}
      <Words comparison={comparison} better={better} />
      <span className="soft">
        {plural(items, 'pair')}
        {groups < items && ` in ${plural(groups, 'group')}`}
        {changes !== undefined && ` · ${counted(changes, better)}`} · {missing} missing
      </span>
    </p>
  )
}

/** The verdict in words, with its reason. */
const Words = ({ comparison, better }: { comparison: Comparison; better: Better }) => {
  const { verdict, reason, moreItems } = comparison
  const isClear = verdict === 'better' || verdict === 'worse'
  const tone = better === 'NONE' ? '' : verdict === 'better' ? 'good' : isClear ? 'bad' : ''
  return (
    <>
      <strong className={tone} title={reason}>
        {wordsOf(comparison, better)}
      </strong>
      {!isClear && (
        <span className="soft">
          {reason}
          {moreItems !== null &&
            moreItems > 0 &&
            ` About ${plural(moreItems, 'more item', 'more items')} would tell.`}
        </span>
      )}
    </>
  )
}

const wordsOf = ({ verdict }: Comparison, better: Better): string => {
  if (verdict === 'cannot tell') return 'can’t tell'
  if (better === 'NONE') return 'different'
  return verdict === 'better' ? '▲ better' : verdict === 'worse' ? '▼ worse' : verdict
}

const counted = (changes: readonly number[], better: Better): string => {
  const up = changes.filter((change) => change > 0).length
  const down = changes.filter((change) => change < 0).length
  const [good, bad] = better === 'LOWER' ? [down, up] : [up, down]
  return `${bad} worse · ${good} better · ${changes.length - up - down} same`
}
