import { random } from '../../statistics/index.js'
import type { EvalItem } from '../data/item.js'

/**
 * Returns the items by their groups, those without one alone, in an order drawn by a seed. Data are often sorted, and the
 * first half of sorted data says little about the rest. All processes of a run draw the same order.
 */
export const unitsInOrder = (
  items: readonly EvalItem[],
  groups: ReadonlyMap<string, string>,
  seed: number,
): EvalItem[][] => {
  const units = new Map<string, EvalItem[]>()
  for (const item of items) {
    const group = groups.get(item.key)
    const name = group === undefined ? `item ${item.key}` : `group ${group}`
    const known = units.get(name)
    if (known === undefined) units.set(name, [item])
    else known.push(item)
  }
  const order = [...units.values()]
  const next = random(seed)
  for (let last = order.length - 1; last > 0; last--) {
    const place = Math.floor(next() * (last + 1))
    const unit = order[last] as EvalItem[]
    order[last] = order[place] as EvalItem[]
    order[place] = unit
  }
  return order
}
