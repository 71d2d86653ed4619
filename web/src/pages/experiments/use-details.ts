import { useEffect, useState } from 'react'
import { CompareDetailsDocument, type CompareDetailsQuery } from '../../../generated/operations.js'
import type { Problem } from '../../data/problem.js'
import { ProblemError, read } from '../../data/use-data.js'

type Node = NonNullable<CompareDetailsQuery['datasetExperiment']>['items']['edges'][number]['node']
/** The contents of an item, and its first result in each experiment. */
export interface Details {
  input: unknown
  expectedOutput: unknown
  results: (Pick<Node, 'output' | 'error' | 'experimentRunId'> | undefined)[]
}

/** Reads inputs and outputs of the shown items, an experiment in a request. */
export const useDetails = (ids: readonly string[], items: readonly string[]) => {
  const key = JSON.stringify([ids, items])
  const [found, setFound] = useState<{
    key: string
    details?: ReadonlyMap<string, Details>
    problem?: Problem
  }>()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (items.length === 0) return
    let isCancelled = false
    const load = async () => {
      const answers = await Promise.all(
        ids.map((id) => read(CompareDetailsDocument, { id, keys: [...items] })),
      )
      if (!isCancelled) setFound({ key, details: detailsOf(answers) })
    }
    load().catch(
      (error) =>
        !isCancelled && error instanceof ProblemError && setFound({ key, problem: error.problem }),
    )
    return () => {
      isCancelled = true
    }
  }, [key, attempt])
  const own = found?.key === key ? found : undefined
  return {
    details: own?.details,
    problem: own?.problem,
    retry: () => {
      setFound(undefined)
      setAttempt((before) => before + 1)
    },
  }
}

const detailsOf = (answers: readonly CompareDetailsQuery[]): Map<string, Details> => {
  const details = new Map<string, Details>()
  for (const [place, { datasetExperiment }] of answers.entries())
    for (const { node } of datasetExperiment?.items.edges ?? []) {
      const { datasetItemId, datasetItem, output, error, experimentRunId } = node
      const key = node.key ?? datasetItemId
      if (key === null) continue
      const known = details.get(key) ?? {
        input: datasetItem?.input ?? node.input,
        expectedOutput: datasetItem?.expectedOutput ?? node.expectedOutput,
        results: answers.map(() => undefined),
      }
      known.results[place] ??= { output, error, experimentRunId }
      details.set(key, known)
    }
  return details
}
