/** The cost of a step itself in picodollars, null without a price, and the step that it is in. */
export interface CostOfStep {
  id: string
  parentId: string | null
  cost: number | null
  /** True for a call of which some part has no price. */
  unpriced: boolean
}

/** A cost, the number of calls of which some part has no price, and false when not all steps are known. */
interface Sum {
  cost: number | null
  unpriced: number
  isWhole: boolean
}

/**
 * Adds up the costs of steps with all that is below them, null where nothing has a price, and the calls without one. The steps that are `open` may
 * have further ones below: they, and all that they are in, have null.
 */
export const costsWithBelow = (
  steps: readonly CostOfStep[],
  open: ReadonlySet<string>,
): Map<string, { cost: number | null; unpriced: number | null }> => {
  const parents = new Map(steps.map(({ id, parentId }) => [id, parentId]))
  const sums = new Map<string, Sum>(
    steps.map(({ id, cost, unpriced }) => [
      id,
      { cost, unpriced: unpriced ? 1 : 0, isWhole: !open.has(id) },
    ]),
  )
  const children = new Map<string, number>()
  for (const parent of parents.values())
    if (parent !== null && parents.has(parent))
      children.set(parent, (children.get(parent) ?? 0) + 1)
  // From the innermost to the outermost.
  const ready = [...parents.keys()].filter((id) => !children.has(id))
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    const parent = parents.get(id) ?? ''
    const sum = sums.get(parent)
    if (sum === undefined) continue
    add(sum, sums.get(id))
    const left = (children.get(parent) ?? 0) - 1
    if (left > 0) children.set(parent, left)
    else {
      children.delete(parent)
      ready.push(parent)
    }
  }
  // Those that are left are in circles, of which each is below all others.
  for (const start of children.keys()) {
    const circle = circleOf(start, parents)
    const whole: Sum = { cost: null, unpriced: 0, isWhole: true }
    for (const id of circle) add(whole, sums.get(id))
    for (const id of circle) {
      sums.set(id, whole)
      children.delete(id)
    }
  }
  return new Map(
    [...sums].map(([id, { cost, unpriced, isWhole }]) => [
      id,
      isWhole ? { cost, unpriced } : { cost: null, unpriced: null },
    ]),
  )
}

const add = (sum: Sum, more: Sum | undefined): void => {
  if (more === undefined) return
  if (more.cost !== null) sum.cost = (sum.cost ?? 0) + more.cost
  sum.unpriced += more.unpriced
  if (!more.isWhole) sum.isWhole = false
}

const circleOf = (start: string, parents: ReadonlyMap<string, string | null>): string[] => {
  const circle = [start]
  for (let id = parents.get(start); id != null && id !== start; id = parents.get(id))
    circle.push(id)
  return circle
}
