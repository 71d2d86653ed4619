import { line } from '../../format/text.js'
import type { RunDifferences } from '../../stats/statistics.js'
import { Snippet } from '../../ui/snippet.js'

/** Scores that are not compared, each with its reason; and the call that makes them comparable. */
export const RefusedScores = ({
  baseId,
  experiments,
  differences,
}: {
  baseId: string
  /** The experiments beside the base, in the order of the differences. */
  experiments: readonly ({ id: string; name: string } | undefined)[]
  differences: readonly RunDifferences[]
}) => {
  const refused = differences.flatMap(({ refused }, place) =>
    Object.entries(refused).map(([score, reason]) => ({
      score,
      reason,
      experiment: experiments[place],
    })),
  )
  if (refused.length === 0) return null
  const isChanged = refused.some(({ reason }) => reason.startsWith('its scorer'))
  return (
    <div className="refused">
      {refused.map(({ score, reason, experiment }) => (
        <p key={`${experiment?.id} ${score}`}>
          <strong>
            <bdi>{line(score, 60)}</bdi>
          </strong>{' '}
          of <bdi>{line(experiment?.name, 60)}</bdi> is not compared: {line(reason, 300)}.
        </p>
      ))}
      {isChanged && (
        <details>
          <summary>Score the stored outputs of the base anew</summary>
          <Snippet
            code={`import { rescore } from 'stepwell/evaluate'\n\nawait rescore({ experiment: ${JSON.stringify(baseId)}, scorers })`}
          />
        </details>
      )}
    </div>
  )
}
