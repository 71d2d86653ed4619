import { useEffect, useState } from 'react'
import { CompareItemsDocument, type CompareItemsQuery } from '../../../generated/operations.js'
import { plainClient } from '../../data/client.js'
import type { Problem } from '../../data/problem.js'
import { ProblemError, read } from '../../data/use-data.js'
import type { ComparedExperiment } from './comparison.js'

/** Reads all results of some experiments, page by page. */
export const useResults = (ids: readonly string[]) => {
  const key = ids.join(' ')
  const [found, setFound] = useState<{
    key: string
    experiments?: ComparedExperiment[]
    problem?: Problem
  }>()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let isCancelled = false
    const load = async (id: string): Promise<ComparedExperiment> => {
      const results: ComparedExperiment['results'][number][] = []
      let name = ''
      for (let after: string | null = null; ; ) {
        const found: Page | null = await readPage(id, after)
        if (found === null) return { id, name: name || 'deleted', results }
        name = found.name
        results.push(...found.items.edges.map(({ node }) => node))
        const { hasNextPage, endCursor } = found.items.pageInfo
        if (!hasNextPage) return { id, name, results }
        after = endCursor
      }
    }
    Promise.all(ids.map(load)).then(
      (experiments) => !isCancelled && setFound({ key, experiments }),
      (error) =>
        !isCancelled && error instanceof ProblemError && setFound({ key, problem: error.problem }),
    )
    return () => {
      isCancelled = true
    }
  }, [key, attempt])
  // Results of another choice would stand below the names of this one.
  const own = found?.key === key ? found : undefined
  return {
    experiments: own?.experiments,
    problem: own?.problem,
    retry: () => {
      setFound(undefined)
      setAttempt((before) => before + 1)
    },
  }
}

type Page = NonNullable<CompareItemsQuery['datasetExperiment']>

const readPage = async (id: string, after: string | null): Promise<Page | null> =>
  (await read(CompareItemsDocument, { id, after }, plainClient)).datasetExperiment
