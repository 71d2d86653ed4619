import type { Node } from './tree.js'

/** Steps side by side in one line: the rounds of a loop, or a stretch of many that are not alike. */
export interface Fold {
  /** The steps, in their order. */
  readonly nodes: readonly Node[]
  /** Number of steps in one round; null for a stretch. */
  readonly period: number | null
}

export type Part = Node | Fold

export const isFold = (part: Part): part is Fold => 'nodes' in part

const MAX_PERIOD = 6
/** Fewer are as short when they are shown. */
const MIN_FOLDED = 4
const MIN_ROUNDS = 3

/** Folds steps side by side by their shape: runs of one shape, and patterns of up to six that repeat. */
export const folded = (nodes: readonly Node[]): Part[] => {
  const parts: Part[] = []
  let at = 0
  while (at < nodes.length) {
    const fold = foldAt(nodes, at)
    const node = nodes[at] as Node
    parts.push(fold ?? node)
    at += fold === undefined ? 1 : fold.nodes.length
  }
  return parts
}

export const STRETCHES = 16

/** Divides steps into stretches, where each of them in a line of its own has no room. */
export const stretched = (nodes: readonly Node[]): Fold[] => {
  const size = Math.ceil(nodes.length / STRETCHES)
  return Array.from({ length: Math.ceil(nodes.length / size) }, (_, index) => ({
    nodes: nodes.slice(index * size, (index + 1) * size),
    period: null,
  }))
}

const foldAt = (nodes: readonly Node[], from: number): Fold | undefined => {
  for (let period = 1; period <= MAX_PERIOD; period++) {
    let end = from + period
    while (end < nodes.length && nodes[end]?.shape === nodes[end - period]?.shape) end++
    const rounds = Math.floor((end - from) / period)
    if (rounds >= MIN_ROUNDS && rounds * period >= MIN_FOLDED)
      return { nodes: nodes.slice(from, from + rounds * period), period }
  }
  return undefined
}
