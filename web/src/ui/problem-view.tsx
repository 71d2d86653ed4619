import { adviceFor, type Problem } from '../data/problem.js'
import { visible } from '../format/text.js'

/** What failed, what to do, and the number by which the service knows it, in the place of what failed. */
export const ProblemView = ({
  problem,
  retry,
  note,
}: {
  problem: Problem
  retry?: (() => void) | undefined
  /** What is to be known of the part that failed. */
  note?: string | undefined
}) => (
  <div className="problem" role="alert">
    <p>
      <strong>{visible(problem.message)}</strong> {adviceFor(problem)} {note}
    </p>
    <p className="soft">
      <code>{problem.code}</code>
      {problem.requestId !== undefined && (
        <>
          {' · request '}
          <code>{problem.requestId}</code>
        </>
      )}
    </p>
    <p className="row">
      {retry !== undefined && (
        <button type="button" className="button small" onClick={retry}>
          Retry
        </button>
      )}
      {problem.code === 'UNAUTHENTICATED' && (
        // In a tab of its own: what is written and not saved stays here, and goes on with Retry.
        <a className="button small" href="/sign-in" target="_blank" rel="noreferrer">
          Sign in
        </a>
      )}
    </p>
  </div>
)
