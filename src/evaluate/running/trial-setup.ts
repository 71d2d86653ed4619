import type { StepwellClient } from '../../client.js'
import type { DecideOptions } from '../deciding/decide-options.js'
import type { Scored, VersionedScorer } from '../scoring/run-scorers.js'
import type { Concurrency } from './concurrency.js'
import type { ItemLimits } from './limits.js'
import type { EvalTask, RetryOptions } from './task.js'
import type { UsageMeter } from './usage.js'

/** The result of one repetition of an item. */
export interface TrialResult extends Scored, StoredMeasures {
  readonly output: unknown
  /** The id of the run that produced the output. */
  readonly runId: string
  /** The failure of the task; `undefined` when it succeeded. */
  readonly failure: string | undefined
}

/** Everything that the task took; nothing of its scorers. */
export interface StoredMeasures {
  /** Milliseconds of the last attempt. */
  readonly durationMs: number | null
  /** Tokens of the recorded calls of models. */
  readonly tokens: number | null
  /** Dollars of the same; null when the price of one is not known. */
  readonly cost: number | null
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
  /** The measures of results whose outputs are scored anew, by their trials; `undefined` when the task runs. */
  readonly measured: ReadonlyMap<string, StoredMeasures> | undefined
}
