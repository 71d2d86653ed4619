import type { ReactNode } from 'react'
import { plural, score as showScore, signed } from '../../format/number.js'
import { line } from '../../format/text.js'
import { MEASURE_TITLES, showMeasure, signedMeasure } from '../../parts/measures.js'
import { IntervalBar } from '../../stats/interval.js'
import type { Comparison, Measure, RunDifferences } from '../../stats/statistics.js'
import { type Better, directionOf } from './comparing/direction.js'

/** The differences of an experiment from the base: its scores, the chosen one first, and below them its measures. */
export const DifferenceSummary = ({
  title,
  differences: { scores, measures },
  decision,
  first,
  better,
}: {
  title: ReactNode
  differences: RunDifferences
  /** The verdict of the run's own rule; it shows nothing without one. */
  decision: ReactNode
  /** The name of the score that comes first. */
  first: string | undefined
  better: Readonly<Record<string, Better>>
}) => {
  const ordered = Object.entries(scores).sort(
    ([a], [b]) => Number(b === first) - Number(a === first),
  )
  const measured = Object.entries(measures) as [Measure, Comparison][]
  return (
    <section className="difference">
      <h2>{title}</h2>
      {decision}
      {ordered.length === 0 && <p>No score is in both experiments.</p>}
      {ordered.map(([name, comparison]) => (
        <Difference
          key={name}
          name={line(name, 60)}
          comparison={comparison}
          better={directionOf(better, name)}
          show={showScore}
          showSigned={signed}
        />
      ))}
      {measured.length > 0 && (
        <details>
          <summary>
            {measured.map(([measure, comparison], place) => (
              <span key={measure}>
                {place > 0 && ' · '}
                {MEASURE_TITLES[measure]} <Verdict comparison={comparison} better="LOWER" />
              </span>
            ))}
          </summary>
          {measured.map(([measure, comparison]) => (
            <Difference
              key={measure}
              name={`${MEASURE_TITLES[measure]}${UNITS[measure] ?? ''}`}
              comparison={comparison}
              better="LOWER"
              show={(value) => showMeasure(measure, value)}
              showSigned={(value) => signedMeasure(measure, value)}
            />
          ))}
        </details>
      )}
    </section>
  )
}

/** Units of the reasons' numbers. */
const UNITS: Readonly<Partial<Record<Measure, string>>> = { durationMs: ' (ms)', cost: ' ($)' }

/** A score or a measure: before and after, the difference with its interval, the verdict and its reason. */
const Difference = ({
  name,
  comparison,
  better,
  show,
  showSigned,
}: {
  name: string
  comparison: Comparison
  better: Better
  show: (value: number) => string
  showSigned: (value: number) => string
}) => {
  const { items, groups, missing, unused, interval, difference, flips, reason, moreItems } =
    comparison
  if (items === 0)
    return (
      <p className="row wrap">
        <bdi>{name}</bdi>
        <span>no item has it in both.</span>
      </p>
    )
  const lost = flips === null || better === 'NONE' ? 0 : flips.worse
  return (
    <p className="row wrap">
      <bdi>{name}</bdi>
      <span>
        {show(comparison.base)} → {show(comparison.candidate)}
      </span>
      {Number.isFinite(difference) && <strong>{showSigned(difference)}</strong>}
      {interval !== null && (
        <IntervalBar low={interval.low} high={interval.high} mean={difference} />
      )}
      <strong>
        <Verdict comparison={comparison} better={better} />
      </strong>
      <span className="soft">
        {reason}
        {moreItems !== null &&
          moreItems > 0 &&
          ` About ${plural(moreItems, 'more item', 'more items')} would tell.`}
      </span>
      <span className="soft">
        {plural(items, 'pair')}
        {groups < items && ` in ${plural(groups, 'group')}`}
        {flips !== null && better !== 'NONE' && ` · ${lost} lost · ${flips.better} won`}
        {missing > 0 && ` · ${missing} missing`}
        {unused > 0 && ` · ${plural(unused, 'repetition')} unused`}
      </span>
    </p>
  )
}

/** The verdict in words; with a colour only where it is clear and has a direction. */
export const Verdict = ({ comparison, better }: { comparison: Comparison; better: Better }) => {
  const { verdict } = comparison
  if (verdict === 'cannot tell') return <span>can’t tell</span>
  if (verdict === 'not worse') return <span>not worse</span>
  if (better === 'NONE') return <span>different</span>
  return verdict === 'better' ? (
    <span className="good">▲ better</span>
  ) : (
    <span className="bad">▼ worse</span>
  )
}
