import { useEffect, useState } from 'react'
import { StepWholeDocument, type StepWholeQuery } from '../../../generated/operations.js'
import { plainClient } from '../../data/client.js'
import type { Problem } from '../../data/problem.js'
import { ProblemError, read } from '../../data/use-data.js'

export type WholeStep = NonNullable<StepWholeQuery['step']>

const whole = new Map<string, Promise<WholeStep | null>>()

/** Reads a step in full, once: preloads the next one. */
export const useWholeStep = (id: string | undefined) => {
  const [state, setState] = useState<{ id?: string; step?: WholeStep; problem?: Problem }>({})
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (id === undefined) return
    let isCancelled = false
    let reading = whole.get(id)
    if (reading === undefined) {
      reading = read(StepWholeDocument, { id }, plainClient).then(({ step }) => step)
      whole.set(id, reading)
      reading.catch(() => whole.delete(id))
      if (whole.size > 20) whole.delete(whole.keys().next().value ?? '')
    }
    reading.then(
      (step) => !isCancelled && setState(step === null ? { id } : { id, step }),
      (error) =>
        !isCancelled &&
        setState({ id, ...(error instanceof ProblemError ? { problem: error.problem } : {}) }),
    )
    return () => {
      isCancelled = true
    }
  }, [id, attempt])
  const retry = () => {
    setState({})
    setAttempt((before) => before + 1)
  }
  return { ...(state.id === id ? state : {}), retry }
}
