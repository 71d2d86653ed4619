import { useEffect, useState } from 'react'
import { isOutdated } from '../../browser/outdated.js'
import type { Problem } from '../../data/problem.js'
import { ProblemError } from '../../data/use-data.js'

/** Code that is loaded when it is needed, once. After a failure it is loaded again. */
export interface Code<Value> {
  /** Undefined until it is there. */
  value: () => Value | undefined
  load: () => Promise<Value>
}

/** Returns the failure of a request that code needs, or else of fetching it. Browsers name a file that nobody knows. */
const toProblem = (error: Error): Problem =>
  error instanceof ProblemError
    ? { message: error.message, code: 'NETWORK' }
    : { message: "The service can't be reached.", code: 'NETWORK' }

export const codeOf = <Value>(fetchCode: () => Promise<Value>): Code<Value> => {
  let loaded: Value | undefined
  let loading: Promise<Value> | undefined
  return {
    value: () => loaded,
    load: () => {
      loading ??= fetchCode().then(
        (value) => {
          loaded = value
          return value
        },
        (error) => {
          loading = undefined
          throw error
        },
      )
      return loading
    },
  }
}

const OUTDATED: Problem = {
  message: 'The service was updated after this page was opened.',
  code: 'OUTDATED',
}

/** Returns code, or why it can't be loaded, with a way on: another attempt, or the page of the newer service. */
export const useCode = <Value>(code: Code<Value>) => {
  const [value, setValue] = useState(code.value)
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  // Another attempt is a reason to load again.
  useEffect(() => {
    if (value !== undefined) return
    let isCancelled = false
    code.load().then(
      (loaded) => !isCancelled && setValue(() => loaded),
      async (error) => {
        const isOld = await isOutdated()
        if (!isCancelled) setProblem(isOld ? OUTDATED : toProblem(error))
      },
    )
    return () => {
      isCancelled = true
    }
  }, [value, attempt])
  return {
    value,
    problem,
    isOutdated: problem === OUTDATED,
    retry: () => {
      if (problem === OUTDATED) return window.location.reload()
      setProblem(undefined)
      setAttempt(attempt + 1)
    },
  }
}
