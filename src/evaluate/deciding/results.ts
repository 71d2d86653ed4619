import type { DatasetExperimentItem } from '../../api/experiments.js'
import type { ExperimentResultInput } from '../../api/leases.js'
import type { StepwellClient } from '../../client.js'
import { nameOfTrial } from '../data/item.js'
import { walk } from '../service/persist.js'

/** A score of a stored result. */
export interface StoredScore {
  readonly name: string
  readonly value: number
  /** The category, or `true` or `false`; null for a number. */
  readonly label: string | null
  /** Null when none was given. */
  readonly reason: string | null
  /** `name@version` of the scorer; null when it is not known. */
  readonly scorer: string | null
}

/** One repetition of an item, as the service has it. */
export interface EvalResult {
  /** The key of the item. */
  readonly key: string
  /** From 1 on. */
  readonly repetition: number
  /** The scores; none when the task failed. */
  readonly scores: readonly StoredScore[]
  /** The failure of the task or of scorers; null when nothing failed. */
  readonly error: string | null
  /** Milliseconds of the last attempt of the task; null when not recorded. */
  readonly durationMs: number | null
  /** Tokens of the task's recorded calls of models; null when not recorded. */
  readonly tokens: number | null
  /** Dollars of the task's recorded calls of models; null without the prices of all of them. */
  readonly cost: number | null
}

const PAGE_SIZE = 1000

/** Reads all results of an experiment. Those of one that was made by hand go by their dataset items. */
export const readResults = async (
  api: StepwellClient['api'],
  experimentId: string,
  signal?: AbortSignal,
): Promise<EvalResult[]> => {
  const results: EvalResult[] = []
  const counts = new Map<string, number>()
  const page = { experimentId, first: PAGE_SIZE }
  for await (const item of walk(api, api.getExperimentItems, page, signal)) {
    const key = item.key ?? item.datasetItemId
    if (key === null) continue
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    results.push(toResult(item, key, item.repetition ?? count))
  }
  return results
}

const toResult = (
  { scores, error, durationMs, tokens, cost }: DatasetExperimentItem,
  key: string,
  repetition: number,
): EvalResult => ({
  key,
  repetition,
  error,
  durationMs,
  tokens,
  cost,
  scores: scores.map(({ name, value, label, comment, scorer }) => ({
    name,
    value,
    label,
    reason: comment,
    scorer,
  })),
})

/** Returns a result that was sent to the service as one that is read from it. */
export const resultOf = ({
  key,
  repetition,
  error = null,
  scores,
  durationMs = null,
  tokens = null,
  cost = null,
}: ExperimentResultInput): EvalResult => ({
  key,
  repetition,
  error,
  durationMs,
  tokens,
  cost,
  scores: (scores ?? []).map(({ name, value, label = null, comment = null, scorer = null }) => ({
    name,
    value: Number(value),
    label,
    reason: comment,
    scorer,
  })),
})

/** Returns results in the order of the items and their repetitions, each once. */
export const inOrder = (
  results: readonly EvalResult[],
  items: readonly { key: string }[],
  repetitions: number,
): EvalResult[] => {
  const known = new Map(results.map((one) => [nameOfTrial(one.key, one.repetition), one]))
  return items
    .flatMap(({ key }) =>
      Array.from(
        { length: repetitions },
        (_, index) => known.get(nameOfTrial(key, index + 1)) ?? [],
      ),
    )
    .flat()
}
