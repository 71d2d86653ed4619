import { isPlain } from '../../values/fit.js'
import { inTreeOrder, nodesBy } from '../fixtures/tree-order.js'
import type { StepLike } from '../step-like.js'

/** A step of a run, with those below it. */
export interface RunNode {
  readonly step: StepLike
  readonly children: RunNode[]
}

/** Builds the tree of a run. Returns the roots. */
export const nodesOf = (steps: readonly StepLike[]): RunNode[] =>
  nodesBy(inTreeOrder(steps), ({ step }): RunNode => ({ step, children: [] })).roots

/** The member of a step's metadata that names the recorded step which answered in its place. */
export const ANSWERED = 'answeredByRecord'

/** Returns true for a step whose work was not done: the record answered. */
export const isAnswered = ({ metadata }: StepLike): boolean =>
  isPlain(metadata) && typeof metadata[ANSWERED] === 'string'
