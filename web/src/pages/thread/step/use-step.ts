import { useEffect, useState } from 'react'
import {
  StepContentsDocument,
  StepFactsDocument,
  type StepWholeQuery,
} from '../../../../generated/operations.js'
import { plainClient } from '../../../data/client.js'
import type { Problem } from '../../../data/problem.js'
import { ProblemError, read } from '../../../data/use-data.js'

export type Step = NonNullable<StepWholeQuery['step']>

/** The size up to which contents load unasked; more is a click away. */
const MAX_UNASKED_BYTES = 256_000

export type LoadedStep =
  | { is: 'loading' }
  | { is: 'failed'; problem: Problem }
  | { is: 'gone' }
  /** A step without its input and output, which are large. */
  | { is: 'large'; step: Step; input: string | null; output: string | null; size: number }
  | { is: 'whole'; step: Step }

/** Reads a step: the beginnings of a large one, all of a small one or on request. Another version is read again. */
export const useStep = (id: string | undefined, version: string) => {
  const [loaded, setLoaded] = useState<LoadedStep>({ is: 'loading' })
  const [wanted, setWanted] = useState<string>()
  useEffect(() => {
    if (id === undefined) return
    let isCancelled = false
    const load = async () => {
      try {
        const { step } = await read(StepFactsDocument, { id }, plainClient)
        if (isCancelled) return
        if (step === null) return setLoaded({ is: 'gone' })
        const { inputBytes, outputBytes, inputPreview, outputPreview, ...facts } = step
        const size = (inputBytes ?? 0) + (outputBytes ?? 0)
        if (size > MAX_UNASKED_BYTES && wanted !== id)
          return setLoaded({
            is: 'large',
            step: { ...facts, input: null, output: null },
            input: inputPreview,
            output: outputPreview,
            size,
          })
        const { step: contents } = await read(StepContentsDocument, { id }, plainClient)
        if (isCancelled) return
        setLoaded(
          contents === null ? { is: 'gone' } : { is: 'whole', step: { ...facts, ...contents } },
        )
      } catch (error) {
        if (!isCancelled && error instanceof ProblemError)
          setLoaded({ is: 'failed', problem: error.problem })
      }
    }
    void load()
    return () => {
      isCancelled = true
    }
  }, [id, wanted, version])
  return { loaded, wantAll: () => setWanted(id) }
}
