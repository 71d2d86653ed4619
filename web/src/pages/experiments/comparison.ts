import { type Comparison, compareScores, type Observation } from '../../stats/statistics.js'

/** A result of an experiment, as far as it is compared. */
interface Result {
  datasetItemId: string | null
  experimentRunId: string | null
  output: unknown
  scores: readonly { name: string; value: number }[]
  datasetItem: { id: string; input: unknown; expectedOutput: unknown; metadata: unknown } | null
}

export interface ComparedExperiment {
  id: string
  name: string
  results: readonly Result[]
}

/** An item as one experiment had it: the mean of its scores over repeats, and the newest output. */
interface Cell {
  score: number | undefined
  output: unknown
  runId: string | null
  repeats: number
}

export interface ComparedItem {
  id: string
  input: unknown
  expectedOutput: unknown
  /** In the order of the experiments; undefined where one did not have the item. */
  cells: (Cell | undefined)[]
}

/** Returns the names of the scores, the most frequent first. */
export const scoreNames = (experiments: readonly ComparedExperiment[]): string[] => {
  const uses = new Map<string, number>()
  for (const { results } of experiments)
    for (const { scores } of results)
      for (const { name } of scores) uses.set(name, (uses.get(name) ?? 0) + 1)
  return [...uses].sort(([, a], [, b]) => b - a).map(([name]) => name)
}

/** Returns the results of some experiments by item. Leaves out results without an item. */
export const compareExperiments = (
  experiments: readonly ComparedExperiment[],
  scoreName: string,
): ComparedItem[] => {
  const items = new Map<string, ComparedItem>()
  for (const [index, { results }] of experiments.entries()) {
    const repeats = new Map<string, Result[]>()
    for (const result of results) {
      if (result.datasetItemId === null) continue
      const of = repeats.get(result.datasetItemId)
      if (of === undefined) repeats.set(result.datasetItemId, [result])
      else of.push(result)
    }
    for (const [id, of] of repeats) {
      const item = items.get(id) ?? {
        id,
        input: undefined,
        expectedOutput: undefined,
        cells: experiments.map(() => undefined),
      }
      const last = of.at(-1)
      item.input ??= last?.datasetItem?.input
      item.expectedOutput ??= last?.datasetItem?.expectedOutput
      const values = of.flatMap(({ scores }) =>
        scores.filter(({ name }) => name === scoreName).map(({ value }) => value),
      )
      item.cells[index] = {
        score:
          values.length === 0
            ? undefined
            : values.reduce((sum, value) => sum + value, 0) / values.length,
        output: last?.output,
        runId: last?.experimentRunId ?? null,
        repeats: of.length,
      }
      items.set(id, item)
    }
  }
  return [...items.values()]
}

/** Returns an experiment's score of an item minus the base's; undefined when one of them has none. */
export const deltaOf = ({ cells }: ComparedItem, experiment: number): number | undefined => {
  const [base] = cells
  const other = cells[experiment]
  return base?.score === undefined || other?.score === undefined
    ? undefined
    : other.score - base.score
}

/** The good direction of a score. */
export type Better = 'HIGHER' | 'LOWER' | 'NONE'

/** A score of an experiment beside the base's. */
export interface ScoreComparison {
  /** The experiment's place; 0 is the base. */
  experiment: number
  name: string
  better: Better
  comparison: Comparison
}

/**
 * Compares every score of every experiment with the base. They are shown together, so all verdicts hold at once. Items
 * whose metadata has the same `group` count as one when chance is judged.
 */
export const compareAll = (
  experiments: readonly ComparedExperiment[],
  betterOf: (name: string) => Better,
): ScoreComparison[] => {
  const [base, ...others] = experiments
  if (base === undefined) return []
  const names = scoreNames(experiments)
  const rows = others.flatMap((experiment, place) =>
    names.map((name) => ({ experiment: place + 1, name, of: experiment, better: betterOf(name) })),
  )
  const compared = compareScores(
    Object.fromEntries(
      rows.map(({ name, of, better }, place) => [
        place,
        {
          base: observationsOf(base, name),
          candidate: observationsOf(of, name),
          higherIsBetter: better !== 'LOWER',
        },
      ]),
    ),
  )
  return rows.flatMap(({ experiment, name, better }, place) => {
    const comparison = compared[place]
    return comparison === undefined ? [] : [{ experiment, name, better, comparison }]
  })
}

const observationsOf = ({ results }: ComparedExperiment, scoreName: string): Observation[] =>
  results.flatMap(({ datasetItemId, datasetItem, scores }) =>
    datasetItemId === null
      ? []
      : scores
          .filter(({ name }) => name === scoreName)
          .map(({ value }) => ({
            item: datasetItemId,
            ...groupOf(datasetItem?.metadata),
            value,
          })),
  )

/** Returns the group that an item's metadata states. */
const groupOf = (metadata: unknown): { group?: string } => {
  const group =
    typeof metadata === 'object' && metadata !== null && 'group' in metadata
      ? metadata.group
      : undefined
  return typeof group === 'string' || typeof group === 'number' ? { group: `${group}` } : {}
}
