import type { StepwellClient } from '../client.js'
import type { PinnedData } from './data/read-data.js'
import type { Base } from './deciding/base.js'
import type { EarlyVerdict } from './deciding/decision.js'
import type { EvalResult } from './deciding/results.js'
import type { EvaluateOptions } from './options.js'
import type { StoredMeasures } from './running/trial-setup.js'
import type { Usage } from './running/usage.js'
import type { VersionedScorer } from './scoring/run-scorers.js'

/** Everything that is known of a run before its first item. */
export interface PreparedRun {
  readonly options: EvaluateOptions
  readonly experimentId: string
  /** `undefined` when the service did not say. */
  readonly projectId: string | undefined
  /** True when the experiment may have been there before. */
  readonly isResumed: boolean
  readonly data: PinnedData
  readonly stepwell: StepwellClient
  readonly scorers: readonly VersionedScorer[]
  readonly groups: ReadonlyMap<string, string>
  /** The run to compare with; `undefined` when there is none. */
  readonly base: Base | undefined
  /** Number of earlier runs that could not be the base, as they were broken or did not come to their end. */
  readonly passedOver: number
  /** The measures of results whose outputs are scored anew, by their trials; `undefined` when the task runs. */
  readonly measured: ReadonlyMap<string, StoredMeasures> | undefined
  readonly confidence: number
  readonly repetitions: number
  /** Its start, by `performance.now()`. */
  readonly begun: number
}

/** The course of a run. */
export interface RunResults {
  /** In the order of the items and their repetitions. */
  readonly results: readonly EvalResult[]
  /** Why it ended before all items had a result; `undefined` when all have. */
  readonly stopped: string | undefined
  readonly early: EarlyVerdict | undefined
  readonly usage: Usage
}
