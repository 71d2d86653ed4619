import {
  type Measure,
  measureOf,
  observationsOf,
  pairItems,
  type Quantity,
  type RunResult,
} from '../../../stats/statistics.js'

/** A result with a mark for a cost that its task gave; any other is that of its run, by the prices of the service. */
export interface ComparedResult extends RunResult {
  readonly isCostGiven?: boolean
}

/** An item as one experiment has it. */
export interface Cell {
  /** The mean of the compared repetitions; of all where nothing is compared. */
  value: number | undefined
  /** Number of results. */
  repetitions: number
  /** Number of repetitions that are compared; undefined where none are. */
  compared: number | undefined
  failed: number
  /** Means of the results that have them. */
  durationMs: number | undefined
  tokens: number | undefined
  cost: number | undefined
  /** True when tasks gave some of the costs. */
  isCostGiven: boolean
}

/** A change between passing and failing, from the base to an experiment. */
export type Flip = 'lost' | 'won'

/** An item with its cells, in the order of the experiments; the first is the base. */
export interface Row {
  item: string
  /** Undefined where an experiment did not have the item. */
  cells: (Cell | undefined)[]
  /** Differences from the base; undefined where one of both has no value. */
  deltas: (number | undefined)[]
  flips: (Flip | undefined)[]
}

/** The rows that are shown. */
export const FILTERS = ['all', 'flips', 'lost', 'won', 'changed', 'errors', 'missing'] as const
export type Only = (typeof FILTERS)[number]
export type Order = 'worse' | 'better'
export type Counts = Record<Only, number>

/** Results of an experiment by item, in the order of repetitions. */
const byItem = (results: readonly ComparedResult[]): Map<string, ComparedResult[]> => {
  const items = new Map<string, ComparedResult[]>()
  for (const result of results.toSorted((a, b) => a.repetition - b.repetition)) {
    const of = items.get(result.key)
    if (of === undefined) items.set(result.key, [result])
    else of.push(result)
  }
  return items
}

const meanOf = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

const meanOfMeasure = (results: readonly RunResult[], measure: Measure): number | undefined =>
  meanOf(results.flatMap((result) => measureOf(result, measure) ?? []))

/**
 * Lays results of experiments side by side. Of an item, as many repetitions are compared as an experiment and the base
 * both have, as in the verdict.
 */
export const rowsOf = (
  runs: readonly (readonly ComparedResult[])[],
  quantity: Quantity,
  isHigherBetter: boolean,
): Row[] => {
  const single = () => undefined
  const observed = runs.map((results) => observationsOf(results, quantity, single))
  const [base = []] = observed
  const isBinary = observed.every((values) =>
    values.every(({ value }) => value === 0 || value === 1),
  )
  const pairs = observed.map((candidate, place) =>
    place === 0
      ? new Map()
      : new Map(pairItems(base, candidate).both.map((pair) => [pair.item, pair])),
  )
  const values = observed.map((all) => {
    const items = new Map<string, number[]>()
    for (const { item, value } of all) {
      const known = items.get(item)
      if (known === undefined) items.set(item, [value])
      else known.push(value)
    }
    return items
  })
  const indexes = runs.map(byItem)
  const items = new Set(indexes.flatMap((index) => [...index.keys()]))
  return [...items].map((item) => {
    const ofItem = pairs.map((paired) => paired.get(item))
    const flips = ofItem.map((pair): Flip | undefined => {
      if (pair === undefined || !isBinary) return undefined
      // A good score is 1, or 0 where less is better. Most repetitions decide.
      const passes = (mean: number) => (isHigherBetter ? mean > 0.5 : mean < 0.5)
      const before = passes(pair.base.mean)
      return before === passes(pair.candidate.mean) ? undefined : before ? 'lost' : 'won'
    })
    const cells = indexes.map((index, place): Cell | undefined => {
      const results = index.get(item)
      if (results === undefined) return undefined
      const pair = ofItem[place]
      // The base beside one experiment shows the repetitions that are compared with it.
      const only = runs.length === 2 && place === 0 ? ofItem[1]?.base : pair?.candidate
      return {
        value: only?.mean ?? meanOf(values[place]?.get(item) ?? []),
        repetitions: results.length,
        compared: only?.values.length,
        failed: results.filter(({ error }) => error !== null).length,
        durationMs: meanOfMeasure(results, 'durationMs'),
        tokens: meanOfMeasure(results, 'tokens'),
        cost: meanOfMeasure(results, 'cost'),
        isCostGiven: results.some(({ isCostGiven }) => isCostGiven === true),
      }
    })
    return { item, cells, deltas: ofItem.map((pair) => pair?.difference), flips }
  })
}

const passes = ({ cells, deltas, flips }: Row, only: Only): boolean => {
  switch (only) {
    case 'all':
      return true
    case 'flips':
      return flips.some((flip) => flip !== undefined)
    case 'lost':
    case 'won':
      return flips.includes(only)
    case 'changed':
      return deltas.some((delta) => delta !== undefined && delta !== 0)
    case 'errors':
      return cells.some((cell) => cell !== undefined && cell.failed > 0)
    case 'missing':
      return cells.includes(undefined)
  }
}

export const countRows = (rows: readonly Row[]): Counts =>
  Object.fromEntries(
    FILTERS.map((only) => [only, rows.filter((row) => passes(row, only)).length]),
  ) as Counts

/** Orders rows: changes between passing and failing first, then the largest differences; equal ones by their items. */
export const selectRows = (
  rows: readonly Row[],
  { order, only, isHigherBetter }: { order: Order; only: Only; isHigherBetter: boolean },
): Row[] => {
  const first: Flip = order === 'worse' ? 'lost' : 'won'
  const sign = (isHigherBetter ? 1 : -1) * (order === 'worse' ? 1 : -1)
  const ranked = rows
    .filter((row) => passes(row, only))
    .map((row) => {
      const rank = row.flips.includes(first) ? 0 : passes(row, 'flips') ? 1 : 2
      let extreme = 0
      for (const delta of row.deltas) extreme = Math.min(extreme, sign * (delta ?? 0))
      return { row, rank, extreme }
    })
  return ranked
    .sort((a, b) => a.rank - b.rank || a.extreme - b.extreme || (a.row.item < b.row.item ? -1 : 1))
    .map(({ row }) => row)
}
