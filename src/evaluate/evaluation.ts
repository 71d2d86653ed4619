import type { RunComparison } from './deciding/compare-runs.js'
import type { Decision } from './deciding/decision.js'
import type { EvalResult } from './deciding/results.js'
import type { EvalMeasureSummary, EvalScoreSummary } from './deciding/summary.js'
import type { Usage } from './running/usage.js'

/**
 * The end of a run: `complete`; `decided` early; `over budget` before all items had a result; `stopped` from outside;
 * `broken`, when more failed than is allowed.
 */
export type EvaluationStatus = 'complete' | 'decided' | 'over budget' | 'stopped' | 'broken'

/** The result of an evaluation: the same for every process that shared the run, but for `usage` and `durationMs`. */
export interface Evaluation {
  readonly name: string
  /** The id of its experiment. */
  readonly experimentId: string
  /** The id of its dataset; null when the data came from elsewhere. */
  readonly datasetId: string | null
  readonly status: EvaluationStatus
  /** Why it is `broken`, or ended early; null when it is complete. */
  readonly problem: string | null
  /** 0: passed. 1: worse. 2: it can't be told, or not all items have run. 3: broken. */
  readonly exitCode: 0 | 1 | 2 | 3
  /** Number of items of the data. */
  readonly items: number
  readonly repetitions: number
  /** Results in the order of the items and their repetitions. */
  readonly results: readonly EvalResult[]
  /** Number of results with an error. */
  readonly errors: number
  readonly scores: readonly EvalScoreSummary[]
  /** Duration, tokens, cost and errors; those that no result has are missing. */
  readonly measures: readonly EvalMeasureSummary[]
  /** Null when there is nothing to compare with. */
  readonly comparison: RunComparison | null
  /** Null without `decide`, and when the run is broken. */
  readonly decision: Decision | null
  /** The address of the comparison in the web UI, or of the experiment. */
  readonly url: string
  /** Everything that the items that this process ran used. */
  readonly usage: Usage
  /** Milliseconds that the run took in this process. */
  readonly durationMs: number
}
