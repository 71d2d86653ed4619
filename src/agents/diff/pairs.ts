import type { OutlineStep } from '../../api/outlines.js'
import { align, type Pair } from '../../values/align.js'
import type { Excerpts } from '../outline/excerpts.js'
import { type Node, treesOf } from '../outline/tree.js'

/** Two steps in the same place, or one that has no counterpart. */
export type StepPair = Pair<Node>

/**
 * Pairs the steps of two runs from the roots on: a step has a counterpart only below the counterpart of its parent. Steps that
 * took and gave the same are paired first, then those that took the same, then those of one kind.
 *
 * @returns the pairs in the order of the runs, without what is below a step that has no counterpart.
 */
export const pairsOf = (
  base: readonly OutlineStep[],
  other: readonly OutlineStep[],
  excerptsOf: (step: OutlineStep) => Excerpts | undefined,
): StepPair[] => {
  const keysOf = ({ step }: Node) => {
    const { input, output } = excerptsOf(step) ?? { input: null, output: null }
    const kind = `${step.type}\n${step.name ?? ''}`
    return [JSON.stringify([kind, input, output]), JSON.stringify([kind, input]), kind]
  }
  const pairs: StepPair[] = []
  // Not a recursion: traces may be deeper than the stack.
  const open = align(treesOf(base), treesOf(other), keysOf).reverse()
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    pairs.push(pair)
    if (pair.base === undefined || pair.other === undefined) continue
    const below = align(pair.base.children, pair.other.children, keysOf)
    for (const next of below.reverse()) open.push(next)
  }
  return pairs
}
