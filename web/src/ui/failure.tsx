import { adviceFor, type Problem } from '../data/problem.js'
import { ProblemError } from '../data/use-data.js'
import { at } from '../format/base.js'
import { visible } from '../format/text.js'

/** True for failures that another sign-in may help against. */
export const asksForSignIn = ({ code }: Problem): boolean =>
  code === 'UNAUTHENTICATED' || code === 'FORBIDDEN'

/** Leads to the page for signing in, in a separate tab: unsaved text stays here, and another try continues with it. */
export const SignInLink = ({ className = '' }: { className?: string }) => (
  <a className={className} href={at('/sign-in')} target="_blank" rel="noreferrer">
    Sign in
  </a>
)

/** Returns the problem that the service reported, also one that another error adds words to. */
const problemOf = (error: Error): Problem | undefined =>
  [error, error.cause].find((one) => one instanceof ProblemError)?.problem

/** Says why something failed and, if the service refused it, the way on. */
export const FailureText = ({ error }: { error: Error }) => {
  const problem = problemOf(error)
  return (
    <>
      {visible(error.message)}
      {problem !== undefined && ` ${adviceFor(problem)}`}
      {problem !== undefined && asksForSignIn(problem) && (
        <>
          {' '}
          <SignInLink />
        </>
      )}
    </>
  )
}

/** The failure of a form, above its buttons; nothing while there is none. */
export const FailureNote = ({ error }: { error: Error | undefined }) =>
  error === undefined ? null : (
    <p className="problem" role="alert">
      <FailureText error={error} />
    </p>
  )
