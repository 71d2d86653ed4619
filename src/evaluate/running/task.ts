import type { StepwellClient } from '../../client.js'
import type { EvalItem } from '../data/item.js'

/** Everything that a task gets besides its item. */
export interface TaskContext {
  /** Aborted when the item exceeds a limit or the run is stopped. Pass it to calls of models. */
  readonly signal: AbortSignal
  /** A whole number from 0 to 2^32 - 1: the same each time for an item, its repetition and the seed of the run. */
  readonly seed: number
  /** From 1 on. */
  readonly repetition: number
  /** The attempt, from 1 on: more than 1 after a failure. */
  readonly attempt: number
  /** The client of the run: steps that it records belong to the item. */
  readonly stepwell: StepwellClient
}

/** The application to be evaluated, on one item, of which each attempt has a copy. Its result is the output. */
export type EvalTask<Input = unknown, Expected = unknown, Output = unknown> = (
  item: EvalItem<Input, Expected>,
  context: TaskContext,
) => Output | Promise<Output>

/** Repetitions of a failed attempt. */
export interface RetryOptions {
  /**
   * Attempts at an item, at most. Default: 3. Refusals for too many requests (429) do not count: they are repeated for ten
   * minutes, or for `limits.seconds` when that is less. An item that is told to wait beyond that fails at once, and so does one
   * whose quota is used up (`insufficient_quota`).
   */
  attempts?: number | undefined
  /** Milliseconds before the second attempt; twice as many before each further one. Default: 500. */
  waitMs?: number | undefined
  /** Decides if an error may pass. Default: errors of the network, and those of servers (status 408, 409 and 500 on). */
  when?: ((error: unknown) => boolean) | undefined
}
