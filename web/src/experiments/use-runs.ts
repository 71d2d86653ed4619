import { useEffect, useState } from 'react'
import { CompareItemsDocument, type CompareItemsQuery } from '../../generated/operations.js'
import { plainClient } from '../data/client.js'
import type { Problem } from '../data/problem.js'
import { Failed, read } from '../data/use-data.js'
import type { Run } from './comparison.js'

/** All results of some experiments, page by page. */
export const useRuns = (ids: readonly string[]) => {
  const key = ids.join(' ')
  const [runs, setRuns] = useState<Run[]>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    let isOld = false
    const load = async (id: string): Promise<Run> => {
      const results: Run['results'][number][] = []
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
      (loaded) => !isOld && setRuns(loaded),
      (error) => !isOld && error instanceof Failed && setProblem(error.problem),
    )
    return () => {
      isOld = true
    }
  }, [key])
  return { runs, problem }
}

type Page = NonNullable<CompareItemsQuery['datasetExperiment']>

const readPage = async (id: string, after: string | null): Promise<Page | null> =>
  (await read(CompareItemsDocument, { id, after }, plainClient)).datasetExperiment
