import { invalidArgument, StepwellError } from '../../errors.js'
import { groupIn, type Observation, observationsOf } from '../../statistics/index.js'
import type { EvalItem } from '../data/item.js'
import type { EvalResult } from './results.js'

/** Groups items that resemble one another: by an entry of their metadata, or by a function. */
export type Cluster = string | ((item: EvalItem<never, never>) => string | undefined)

/** Returns the groups of items by their keys; items without one are missing. */
export const groupsOf = (
  items: readonly EvalItem[],
  cluster: Cluster | undefined,
): Map<string, string> => {
  const groups = new Map<string, string>()
  const groupOf = (item: EvalItem): string | undefined => {
    if (typeof cluster !== 'function')
      return cluster === undefined ? groupIn(item.metadata) : groupIn(item.metadata, [cluster])
    const group: unknown = cluster(item as EvalItem<never, never>)
    return group === undefined || group === null ? undefined : String(group)
  }
  if (cluster !== undefined && typeof cluster !== 'string' && typeof cluster !== 'function')
    throw noSuchEntry(cluster)
  for (const item of items)
    try {
      const group = groupOf(item)
      if (group !== undefined) groups.set(item.key, group)
    } catch (cause) {
      throw new StepwellError(`cluster: failed for the item ${item.key}`, {
        code: 'INVALID_ARGUMENT',
        cause,
      })
    }
  // A misspelt name would take all items for independent ones, and noise for a difference.
  if (typeof cluster === 'string' && groups.size === 0) throw noSuchEntry(cluster)
  return groups
}

const noSuchEntry = (cluster: unknown) =>
  invalidArgument(
    `cluster: expected an entry of the metadata of items, got ${JSON.stringify(cluster)}`,
  )

/** Returns the observations of a score, in the order of repetitions. */
export const scoresOf = (
  results: readonly EvalResult[],
  score: string,
  groups: ReadonlyMap<string, string>,
): Observation[] => observationsOf(results, { score }, (key) => groups.get(key))
