import { ProblemError } from './use-data.js'

const WAITS_MS = [1000, 2000, 4000, 8000]

/** Codes with which the service asks for a pause. */
const PASSING: ReadonlySet<string> = new Set(['RATE_LIMITED', 'UNAVAILABLE'])

/** Codes of failures that each further request would meet. */
const OF_ALL: ReadonlySet<string> = new Set([
  ...PASSING,
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NETWORK',
  'OUTDATED',
])

/** Returns true for a failure that is not that of one row: those that follow would fail alike. */
export const isOfAll = (error: unknown): boolean =>
  error instanceof ProblemError && OF_ALL.has(error.problem.code)

/** Returns true if the service may have done what failed. A failed reading has changed nothing. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof ProblemError &&
  error.problem.isChange === true &&
  error.problem.isUnanswered === true

/** Does one of many changes, and again after a pause that the service asks for; not again if it may be done already. */
export const patiently = async <Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> => {
  for (const wait of WAITS_MS)
    try {
      return await work()
    } catch (error) {
      const isPassing =
        error instanceof ProblemError && PASSING.has(error.problem.code) && !mayBeDone(error)
      if (!isPassing || signal.aborted) throw error
      await pause(wait, signal)
      if (signal.aborted) throw error
    }
  return work()
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
