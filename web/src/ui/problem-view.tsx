import { useEffect } from 'react'
import { adviceFor, type Problem } from '../data/problem.js'
import { visible } from '../format/text.js'
import { asksForSignIn, SignInLink } from './failure.js'

/** Shows a failure in its place: the message, the advice, and the request id under which the service logged it. */
export const ProblemView = ({
  problem,
  retry,
  note,
}: {
  problem: Problem
  retry?: (() => void) | undefined
  /** The consequence for this part of the page. */
  note?: string | undefined
}) => {
  useEffect(() => {
    if (retry === undefined || problem.code !== 'NETWORK' || problem.isChange === true) return
    // A laptop that wakes up is offline for a moment, and nobody should have to look for all that failed then.
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  })
  return (
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
            {problem.code === 'OUTDATED' ? 'Load anew' : 'Retry'}
          </button>
        )}
        {asksForSignIn(problem) && <SignInLink className="button small" />}
      </p>
    </div>
  )
}
