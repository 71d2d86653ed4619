import {
  CompareResultsDocument,
  type CompareResultsQuery,
} from '../../../../generated/operations.js'
import { read } from '../../../data/use-data.js'
import type { ComparedResult } from './rows.js'
import { type Stated, statedIn } from './stated.js'

/** An experiment without its results. */
export type Experiment = Omit<NonNullable<CompareResultsQuery['datasetExperiment']>, 'outcomes'>

/** A page of results of an experiment, as it was read. */
export interface LoadedPage {
  experiment: Experiment
  results: ComparedResult[]
  groups: [key: string, group: string][]
  stated: Stated
}

/** A result as the service returns it. */
interface Outcome extends Omit<ComparedResult, 'key' | 'repetition' | 'isCostGiven'> {
  runCost: number | null
  key: string | null
  datasetItemId: string | null
  repetition: number | null
  group: string | null
}

/** Reads all results of an experiment, page by page, without inputs and outputs; ends at once when there is no such experiment. */
export async function* readResults(id: string): AsyncGenerator<LoadedPage> {
  const counts = new Map<string, number>()
  let after: string | null = null
  for (;;) {
    const { datasetExperiment } = await readPage(id, after)
    if (datasetExperiment === null) return
    const { outcomes, ...experiment } = datasetExperiment
    const results: ComparedResult[] = []
    const groups = new Map<string, string>()
    for (const outcome of outcomes.rows as Outcome[]) {
      const { key: own, datasetItemId, repetition, group, cost, runCost, ...rest } = outcome
      // Results that were made by hand have no keys.
      const key = own ?? datasetItemId
      if (key === null) continue
      if (group !== null) groups.set(key, group)
      // Nor have they numbers.
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      results.push({
        ...rest,
        cost: cost ?? runCost,
        isCostGiven: cost !== null,
        key,
        repetition: repetition ?? count,
      })
    }
    yield { experiment, results, groups: [...groups], stated: statedIn(experiment.params) }
    if (!outcomes.pageInfo.hasNextPage) return
    after = outcomes.pageInfo.endCursor
  }
}

const readPage = (id: string, after: string | null): Promise<CompareResultsQuery> =>
  read(CompareResultsDocument, { id, after })
