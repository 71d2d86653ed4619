import { StepwellError } from '../../errors.js'
import type { Observation } from '../../statistics/index.js'
import type { EvalItem } from '../data/item.js'
import type { EvalResult } from './results.js'

/** Groups items that resemble one another: by an entry of their metadata, or by a function. */
export type Cluster = string | ((item: EvalItem<never, never>) => string | undefined)

/** Entries of metadata that group items where nothing is said. */
const GROUPS = ['group', 'threadId']

/** Returns the groups of items by their keys; items without one are missing. */
export const groupsOf = (
  items: readonly EvalItem[],
  cluster: Cluster | undefined,
): Map<string, string> => {
  const groups = new Map<string, string>()
  const groupOf = (item: EvalItem): string | undefined => {
    const group =
      typeof cluster === 'function'
        ? cluster(item as EvalItem<never, never>)
        : (cluster === undefined ? GROUPS : [cluster])
            .map((name) => item.metadata[name])
            .find((value) => value !== undefined && value !== null)
    return group === undefined ? undefined : String(group)
  }
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
  return groups
}

/** Returns the names of all scores, in order of appearance. */
export const scoreNamesOf = (results: readonly EvalResult[]): string[] => [
  ...new Set(results.flatMap(({ scores }) => scores.map(({ name }) => name))),
]

/** Returns the observations of a score, in the order of repetitions: results come as they end, quick failures first. */
export const observationsOf = (
  results: readonly EvalResult[],
  name: string,
  groups: ReadonlyMap<string, string>,
): Observation[] =>
  results
    .toSorted((a, b) => a.repetition - b.repetition)
    .flatMap(({ key, scores }) => {
      const found = scores.find((score) => score.name === name)
      if (found === undefined) return []
      const group = groups.get(key)
      return [{ item: key, value: found.value, ...(group === undefined ? {} : { group }) }]
    })
