/** A score of one run of one item. Several of one item are its repetitions. */
export interface Observation {
  /** The id of the item, the same in all runs over it. */
  item: string
  /** Items of a group resemble one another: turns of a conversation, items made from one template. None: each item is its own. */
  group?: string
  value: number
}

/** Items that vary together, and count as one when chance is judged. */
export interface Unit {
  /** Equal for the same group in every comparison. */
  key: string
  /** The sum over its items. */
  sum: number
  /** Number of its items. */
  size: number
}

/** An item with the mean of its repetitions. */
export interface ItemMean {
  item: string
  unit: string
  mean: number
  values: number[]
}

// An item's id may be the name of a group.
const unitOf = ({ item, group }: Observation): string =>
  group === undefined ? `item ${item}` : `group ${group}`

/**
 * Averages the repetitions within each item; the items come in the order of their first observation.
 *
 * @throws RangeError when a value is not finite, or an item is in two groups.
 */
export const itemMeans = (observations: readonly Observation[]): Map<string, ItemMean> => {
  const items = new Map<string, ItemMean>()
  for (const observation of observations) {
    const { item, value } = observation
    if (!Number.isFinite(value)) throw new RangeError('value of an observation: expected a number')
    const unit = unitOf(observation)
    const known = items.get(item)
    if (known === undefined) items.set(item, { item, unit, mean: value, values: [value] })
    else if (known.unit !== unit) throw new RangeError('group: expected the same one for an item')
    else known.values.push(value)
  }
  for (const item of items.values()) item.mean = meanOf(item.values)
  return items
}

/** Adds up items by their units, in the order of the units' keys: to the same sums in whatever order the items come. */
export const unitsOf = (items: Iterable<{ unit: string; mean: number }>): Unit[] => {
  const units = new Map<string, number[]>()
  for (const { unit, mean } of items) {
    const known = units.get(unit)
    if (known === undefined) units.set(unit, [mean])
    else known.push(mean)
  }
  return [...units]
    .map(([key, means]) => ({ key, sum: sumOf(means), size: means.length }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Returns the sum of some numbers: 0 where they cancel but for rounding. */
const sumOf = (values: readonly number[]): number => {
  let sum = 0
  let size = 0
  for (const value of values.toSorted((a, b) => a - b)) {
    sum += value
    size += Math.abs(value)
  }
  return size < Number.POSITIVE_INFINITY && Math.abs(sum) <= size * 1e-13 ? 0 : sum
}

/** Returns the mean of some numbers: the same one in whatever order they come. */
export const meanOf = (values: readonly number[]): number => {
  const sum = sumOf(values)
  // The sum of large numbers may overflow where their mean does not.
  return Math.abs(sum) === Number.POSITIVE_INFINITY
    ? sumOf(values.map((value) => value / values.length))
    : sum / values.length
}

/** An interval; both limits belong to it. */
export interface Interval {
  low: number
  high: number
}
