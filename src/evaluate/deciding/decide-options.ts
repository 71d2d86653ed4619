import type { Interval } from '../../statistics/index.js'

/** The rule by which a run passes or fails. */
export interface DecideOptions {
  /** The name of the score that decides. */
  metric: string
  /** The loss that is accepted, in the score's unit, 0 or more. Default: 0, with which only a better run passes. */
  margin?: number | undefined
  /**
   * Ends the run as soon as the verdict is clear, or when the rest of the items would hardly bring one. Looking early does not
   * add false verdicts, and finds about nine of ten differences that all items would show. Default: false.
   */
  stopEarly?: boolean | undefined
  /**
   * The lowest and the highest possible score: one outside is an error of its item. With it, the verdict holds against a loss
   * that no item has shown yet, and equal scores can be within the margin. Default: none.
   */
  range?: Interval | undefined
}
