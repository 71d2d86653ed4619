import { adviceFor } from '../../data/problem.js'
import { ProblemError } from '../../data/use-data.js'
import { plural } from '../../format/number.js'
import { visible } from '../../format/text.js'
import { FailureNote } from '../../ui/failure.js'

/** Failures that are named; more of them would be the same one. */
const MAX_NAMED = 20

const adviceOf = (error: Error | undefined): string =>
  error instanceof ProblemError ? adviceFor(error.problem) : ''

/** Names the rows of an action that failed, and the reason that ended it early, with what helps against them. */
export const Failures = ({
  noun: [one, many],
  failed,
  problem,
}: {
  noun: readonly [one: string, many: string]
  failed: readonly { name: string; error: Error }[]
  problem: Error | undefined
}) => {
  const advice = new Set(failed.map(({ error }) => adviceOf(error)))
  // It is said with the reason already.
  advice.delete(adviceOf(problem))
  return (
    <>
      <FailureNote error={problem} />
      {failed.length > 0 && (
        <div className="problem" role="alert">
          <p>{plural(failed.length, one, many)} failed:</p>
          <ul>
            {failed.slice(0, MAX_NAMED).map(({ name, error }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: failures are only added
              <li key={at}>
                <bdi>{name}</bdi> {visible(error.message)}
              </li>
            ))}
          </ul>
          {failed.length > MAX_NAMED && <p>And {failed.length - MAX_NAMED} more.</p>}
          <p>{[...advice].join(' ')}</p>
        </div>
      )}
    </>
  )
}
