import { costOf } from '../budget.js'
import { type Fold, folded, isFold, type Part, STRETCHES, stretched } from './fold.js'
import { rowOf } from './rows.js'
import type { Node } from './tree.js'

/** A line of the tree, and the lines below it if it is open. */
export interface Row {
  readonly part: Part
  readonly depth: number
  below: Row[] | undefined
}

/** A closed row, and how much there is to see in it. */
interface Candidate {
  readonly row: Row
  readonly weight: number
}

/**
 * Chooses the lines of a tree for a number of tokens: opens first what has failures, then what has the most time, tokens and
 * steps; what has no room stays closed, with its sums.
 *
 * @returns the rows at the top; undefined when not even those have room.
 */
export const chooseRows = (roots: readonly Node[], tokens: number): Row[] | undefined => {
  const whole = {
    time: sumOf(roots, ({ step }) => step.duration ?? 0),
    tokens: sumOf(roots, (node) => node.tokens),
    steps: sumOf(roots, ({ count }) => count),
  }
  const weightOf = (part: Part): number => {
    const nodes = isFold(part) ? part.nodes : [part]
    const share = (of: number, all: number) => (all === 0 ? 0 : of / all)
    return (
      10 * sumOf(nodes, (node) => belowFailed(node, isFold(part))) +
      share(
        sumOf(nodes, ({ step }) => step.duration ?? 0),
        whole.time,
      ) +
      share(
        sumOf(nodes, (node) => node.tokens),
        whole.tokens,
      ) +
      share(
        sumOf(nodes, ({ count }) => count),
        whole.steps,
      ) -
      // The rounds of a loop are alike: steps that are not come first.
      (isFold(part) && part.period !== null ? 1 : 0)
    )
  }
  const rowsOf = (parts: readonly Part[], depth: number): Row[] =>
    parts.map((part) => ({ part, depth, below: undefined }))
  const priceOf = (rows: readonly Row[]) =>
    rows.reduce((sum, row) => sum + costOf(lineOf(row, true)), 0)

  let left = tokens
  /** Buys the lines of steps side by side, or of stretches of them; undefined when neither have room. */
  const bought = (part: Fold | undefined, nodes: readonly Node[], depth: number) => {
    // The steps of a loop are alike: a stretch of them would say no more than the loop does.
    const isLoop = part !== undefined && part.period !== null
    const isMany = nodes.length > 2 * STRETCHES
    const choices =
      isLoop || !isMany
        ? [() => (isLoop ? nodes : folded(nodes))]
        : [() => folded(nodes), () => stretched(nodes)]
    for (const choice of choices) {
      const parts = choice()
      // An upper bound on the lines that may have room saves showing a hundred thousand to see that they have none.
      if (parts.length * MIN_LINE > left) continue
      const rows = rowsOf(parts, depth)
      const price = priceOf(rows)
      if (price > left) continue
      left -= price
      return rows
    }
    return undefined
  }
  const closed = new Heap()
  const put = (rows: readonly Row[]) => {
    for (const row of rows)
      if (isFold(row.part) || row.part.children.length > 0)
        closed.push({ row, weight: weightOf(row.part) })
  }
  const top = bought(undefined, roots, 0)
  if (top === undefined) return undefined
  put(top)
  for (let next = closed.pop(); next !== undefined; next = closed.pop()) {
    const { row } = next
    row.below = isFold(row.part)
      ? bought(row.part, row.part.nodes, row.depth + 1)
      : bought(undefined, row.part.children, row.depth + 1)
    put(row.below ?? [])
  }
  return top
}

/** Tokens of the shortest line. */
const MIN_LINE = 3

export const lineOf = (row: Row, isClosed = row.below === undefined): string =>
  `${'  '.repeat(Math.min(row.depth, MAX_INDENT))}${rowOf(row.part, isClosed)}`

/** Deeper lines begin at the same place, as a line of spaces only would say little. */
const MAX_INDENT = 20

const belowFailed = (node: Node, isItself: boolean): number =>
  node.failed - (node.step.hasFailed && !isItself ? 1 : 0)

const sumOf = (nodes: readonly Node[], of: (node: Node) => number): number =>
  nodes.reduce((sum, node) => sum + of(node), 0)

/** The candidates, the heaviest first. */
class Heap {
  readonly #items: Candidate[] = []

  push(item: Candidate): void {
    this.#items.push(item)
    let at = this.#items.length - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#weight(above) >= this.#weight(at)) return
      this.#swap(at, above)
      at = above
    }
  }

  pop(): Candidate | undefined {
    const [best] = this.#items
    const last = this.#items.pop()
    if (last === undefined || this.#items.length === 0) return best
    this.#items[0] = last
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let heaviest = at
      if (this.#weight(left) > this.#weight(heaviest)) heaviest = left
      if (this.#weight(right) > this.#weight(heaviest)) heaviest = right
      if (heaviest === at) return best
      this.#swap(at, heaviest)
      at = heaviest
    }
  }

  #weight(at: number): number {
    return this.#items[at]?.weight ?? Number.NEGATIVE_INFINITY
  }

  #swap(one: number, other: number): void {
    const kept = this.#items[one] as Candidate
    this.#items[one] = this.#items[other] as Candidate
    this.#items[other] = kept
  }
}
