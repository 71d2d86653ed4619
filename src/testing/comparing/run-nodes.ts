import { isPlain } from '../../values/fit.js'
import { inTreeOrder } from '../fixtures/tree-order.js'
import type { StepLike } from '../step-like.js'

/** A step of a run, with those below it. */
export interface RunNode {
  readonly step: StepLike
  readonly children: RunNode[]
}

/** Builds the tree of a run. Returns the roots. */
export const nodesOf = (steps: readonly StepLike[]): RunNode[] => {
  const roots: RunNode[] = []
  const path: RunNode[] = []
  for (const { step, depth } of inTreeOrder(steps)) {
    path.length = Math.min(path.length, depth)
    const node: RunNode = { step, children: [] }
    const siblings = path.at(-1)?.children ?? roots
    siblings.push(node)
    path.push(node)
  }
  return roots
}

/** The member of a step's metadata that names the recorded step which answered in its place. */
export const ANSWERED = 'answeredByRecord'

/** Returns true for a step whose work was not done: the record answered. */
export const isAnswered = ({ metadata }: StepLike): boolean =>
  isPlain(metadata) && typeof metadata[ANSWERED] === 'string'
