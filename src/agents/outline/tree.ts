import type { OutlineStep } from '../../api/outlines.js'

/** A step with what is below it. */
export interface Node {
  readonly step: OutlineStep
  readonly children: Node[]
  /** Sums of the step and all below it. */
  count: number
  failed: number
  tokens: number
  cost: number
  /** The form of the step without its values: equal for steps of one kind that did the same kinds of things. */
  shape: string
}

/** Builds the trees of steps that are in pre-order. Returns the roots. */
export const treesOf = (steps: readonly OutlineStep[]): Node[] => {
  const roots: Node[] = []
  const path: Node[] = []
  const all: Node[] = []
  for (const step of steps) {
    const node: Node = {
      step,
      children: [],
      count: 1,
      failed: step.hasFailed ? 1 : 0,
      tokens: step.tokens ?? 0,
      cost: step.cost ?? 0,
      shape: '',
    }
    path.length = Math.min(path.length, step.depth)
    const parent = path.at(-1)
    if (parent === undefined) roots.push(node)
    else parent.children.push(node)
    path.push(node)
    all.push(node)
  }
  // Children come after their parents, so that the reverse order has each node whole before its parent adds it.
  for (const node of all.reverse()) {
    for (const child of node.children) {
      node.count += child.count
      node.failed += child.failed
      node.tokens += child.tokens
      node.cost += child.cost
    }
    const kinds = [...new Set(node.children.map(({ shape }) => shape))].sort().join(',')
    node.shape = `${node.step.type} ${node.step.name ?? ''}(${kinds.length > 200 ? hash(kinds) : kinds})`
  }
  return roots
}

/** FNV-1a: shapes of deep trees would grow with their depth. */
const hash = (text: string): string => {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(36)
}
