import { useEffect, useRef, useState } from 'react'
import type { Problem } from '../../data/problem.js'
import { ProblemError } from '../../data/use-data.js'

interface Reading<Value> {
  id: string
  /** Resolves to null for what has been deleted. */
  value: Promise<Value | null>
}

interface State<Value> {
  id?: string
  value?: Value
  isDeleted?: boolean
  problem?: Problem
}

/**
 * Reads the opened item, and the next one ahead of time. Shows the latter at once when it is opened, and reads it again
 * all the same: it may have been changed or deleted since. `readOne` stays the same function.
 */
export const useReadAhead = <Value>(
  readOne: (id: string) => Promise<Value | null>,
  id: string | undefined,
  following: string | undefined,
) => {
  const [state, setState] = useState<State<Value>>({})
  const [attempt, setAttempt] = useState(0)
  const ahead = useRef<Reading<Value>>(undefined)
  useEffect(() => {
    if (id === undefined) return
    let isCurrent = true
    let isFresh = false
    if (ahead.current?.id === id)
      ahead.current.value.then(
        (value) => {
          if (isCurrent && !isFresh && value !== null) setState({ id, value })
        },
        // Reading it again tells the reason.
        () => undefined,
      )
    readOne(id).then(
      (value) => {
        isFresh = true
        if (isCurrent) setState(value === null ? { id, isDeleted: true } : { id, value })
      },
      (error) => {
        const problem = error instanceof ProblemError ? { problem: error.problem } : {}
        if (isCurrent)
          setState((before) => ({ ...(before.id === id ? before : { id }), ...problem }))
      },
    )
    return () => {
      isCurrent = false
    }
  }, [readOne, id, attempt])
  // After the one above, which takes what was read ahead of it.
  useEffect(() => {
    if (following === undefined || ahead.current?.id === following) return
    const value = readOne(following)
    value.catch(() => undefined)
    ahead.current = { id: following, value }
  }, [readOne, following])
  const retry = () => {
    setState({})
    setAttempt((before) => before + 1)
  }
  const { value, isDeleted = false, problem } = state.id === id ? state : {}
  return { value, isDeleted, problem, retry }
}
