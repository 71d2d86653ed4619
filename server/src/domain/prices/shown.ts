import type { CallCost } from './price-call.js'

/** The cost of a call by the prices that hold now. */
export interface ShownCost extends CallCost {
  /** Set when the stored cost is another one. */
  isOutdated: boolean
}
