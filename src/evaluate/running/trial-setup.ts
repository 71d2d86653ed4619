import type { StepwellClient } from '../../client.js'
import type { DecideOptions } from '../deciding/decide-options.js'
import type { Scored, VersionedScorer } from '../scoring/run-scorers.js'
import type { Concurrency } from './concurrency.js'
import type { ItemLimits } from './limits.js'
import type { EvalTask, RetryOptions } from './task.js'
import type { Usage, UsageMeter } from './usage.js'

/** The result of one repetition of an item. */
export interface TrialResult extends Scored {
  readonly output: unknown
  /** The id of the run that produced the output. */
  readonly runId: string
  /** Milliseconds of the last attempt of the task. */
  readonly durationMs: number
  readonly usage: Usage
  /** The failure of the task; `undefined` when it succeeded. */
  readonly failure: string | undefined
}

/** Everything that trials of a run share. */
export interface TrialSetup {
  readonly name: string
  readonly experimentId: string
  readonly stepwell: StepwellClient
  readonly task: EvalTask
  readonly scorers: readonly VersionedScorer[]
  readonly seed: number
  readonly limits: ItemLimits
  readonly decide: DecideOptions | undefined
  readonly retry: RetryOptions
  readonly concurrency: Concurrency
  readonly meter: UsageMeter
  /** True when dollars are limited: calls of models without a price fail their item. */
  readonly isPriced: boolean
}
