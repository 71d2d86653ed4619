import { CompareResultsDocument, type CompareResultsQuery } from '../../../../generated/operations.js'
import { read } from '../../../data/use-data.js'
import { groupIn, type RunResult } from '../../../stats/statistics.js'

/** Results of a request. The page stays awake while an answer of this size is read. */
const PAGE_SIZE = 1000

/** An experiment without its results. */
export type Experiment = Omit<NonNullable<CompareResultsQuery['datasetExperiment']>, 'items'>

/** A page of results of an experiment, as it was read. */
export interface LoadedPage {
  experiment: Experiment
  results: RunResult[]
  groups: [key: string, group: string][]
  lower: string[]
}

/**
 * Reads all results of an experiment, page by page, without inputs and outputs; ends at once when there is no such experiment.
 * Only the base's items are asked for their groups, as the others are compared with it.
 */
export async function* readResults(id: string, isBase: boolean): AsyncGenerator<LoadedPage> {
  const counts = new Map<string, number>()
  let after: string | null = null
  for (;;) {
    const { datasetExperiment } = await readPage(id, after, isBase)
    if (datasetExperiment === null) return
    const { items, ...experiment } = datasetExperiment
    const results: RunResult[] = []
    const groups = new Map<string, string>()
    for (const { node } of items.edges) {
      const { datasetItemId: key, datasetItem, repetition } = node
      if (key === null) continue
      const group = groupIn(datasetItem?.metadata)
      if (group !== undefined) groups.set(key, group)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      const { error, durationMs, tokens, cost, scores } = node
      results.push({
        key,
        repetition: repetition ?? count,
        error,
        durationMs,
        tokens,
        cost,
        scores: scores.map(({ name, value, scorer }) => ({ name, value, scorer })),
      })
    }
    yield { experiment, results, groups: [...groups], lower: lowerOf(experiment.params) }
    if (!items.pageInfo.hasNextPage) return
    after = items.pageInfo.endCursor
  }
}

const readPage = (id: string, after: string | null, withItems: boolean): Promise<CompareResultsQuery> =>
  read(CompareResultsDocument, { id, first: PAGE_SIZE, after, withItems })

/** Returns the scorers that an evaluation stored as better when lower. */
const lowerOf = (params: unknown): string[] => {
  const { evaluate } = (params ?? {}) as { evaluate?: { lower?: unknown } | null }
  const lower = evaluate?.lower
  return Array.isArray(lower) ? lower.filter((name) => typeof name === 'string') : []
}
