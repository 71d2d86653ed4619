import { adviceFor, type Problem } from '../data/problem.js'
import { visible } from '../format/text.js'

/** What failed, what to do, and the number by which the service knows it, in the place of what failed. */
export const ProblemView = ({
  problem,
  retry,
}: {
  problem: Problem
  retry?: (() => void) | undefined
}) => (
  <div className="problem" role="alert">
    <p>
      <strong>{visible(problem.message)}</strong> {adviceFor(problem)}
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
    {retry !== undefined && (
      <p>
        <button type="button" className="button small" onClick={retry}>
          Retry
        </button>
      </p>
    )}
  </div>
)
