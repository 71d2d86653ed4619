import type { StepwellClient } from '../client.js'
import type { EvalData } from './data/read-data.js'
import type { CompareTo } from './deciding/base.js'
import type { DecideOptions } from './deciding/decide-options.js'
import type { Cluster } from './deciding/observations.js'
import type { EvalResult } from './deciding/results.js'
import type { Progress } from './reporting/progress.js'
import type { ItemLimits, RunBudget } from './running/limits.js'
import type { EvalTask, RetryOptions } from './running/task.js'
import type { ModelPrice } from './running/usage.js'
import type { ScoreFunction, Scorer } from './scoring/scorer.js'

/** Failures that a run may have. */
export interface ErrorPolicy {
  /** Results with an error, at most; with more the run is broken. A share of all below 1, else a number. Default: 0. */
  allowed?: number | undefined
  /** Ends the run once it is broken, in place of running all items. Default: false. */
  stop?: boolean | undefined
}

/** Files to write at the end. */
export interface EvaluationFiles {
  /** The path of a JUnit file: each result is a test case, and so is the verdict. */
  junit?: string | undefined
  /** The path of a JSON file with the whole evaluation. */
  json?: string | undefined
  /** The path of a Markdown file: the table, for the comment of a pull request. */
  markdown?: string | undefined
}

/** The options of `evaluate`. */
export interface EvaluateOptions<Input = unknown, Expected = unknown, Output = unknown> {
  /** The name of the evaluation, and of its experiments. `compareTo: 'previous'` finds earlier runs by it. */
  name: string
  /** The examples. They stay as they are when the run begins. */
  data: EvalData<Input, Expected>
  /** The application, on one item. */
  task: EvalTask<Input, Expected, Output>
  /** Scores of the output. The name of a function is the name of its score. */
  scorers: readonly (Scorer<Input, Expected, Output> | ScoreFunction<Input, Expected, Output>)[]
  /** Runs of each item. Default: 1. */
  repetitions?: number | undefined
  /** Items that run at once, at most; fewer while a provider refuses calls. Default: 10. */
  concurrency?: number | undefined
  /** Limits of an item. */
  limits?: ItemLimits | undefined
  /** Limits of the whole run in this process. */
  budget?: RunBudget | undefined
  /** Prices of models by their names, for limits in dollars. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined
  /** Repetitions of a failed attempt. */
  retry?: RetryOptions | undefined
  /** Failures that the run may have. */
  errors?: ErrorPolicy | undefined
  /** The experiment to compare with. Default: none, or `previous` with `decide`. */
  compareTo?: CompareTo | undefined
  /** The rule by which the run passes. Default: it passes when it is complete. */
  decide?: DecideOptions | undefined
  /**
   * Groups items that resemble one another, such as the turns of a conversation: the name of an entry of their metadata, or a
   * function. Default: the entry `group`, else `threadId`.
   */
  cluster?: Cluster | undefined
  /** The share of intervals that hold the true value. Default: 0.95. */
  confidence?: number | undefined
  /**
   * Goes on with an earlier process' run of the same data, parameters, release and seed, and shares it with others. `take
   * over` takes the items that a killed process left behind at once, for when no other is running. Default: true.
   */
  resume?: boolean | 'take over' | undefined
  /**
   * Runs items again whose result has an error, when it goes on with a run: those that have failed until then. Default:
   * false.
   */
  retryErrors?: boolean | undefined
  /** Seconds for which a process has an item to itself, unless it extends them; those of a killed one wait as long. Default: 30. */
  leaseSeconds?: number | undefined
  /** Chooses the seeds of the items. Default: 0. */
  seed?: number | undefined
  /** Parameters of the application, such as the model: stored with the experiment, and part of the run's identity. */
  params?: Readonly<Record<string, unknown>> | undefined
  /**
   * The release of the code. With it, runs of several processes are one. Default: that of the client, else the commit of CI
   * (`GITHUB_SHA`, `CI_COMMIT_SHA`); with none, a complete run is never taken for this one.
   */
  release?: string | undefined
  /** The client. Default: one by `STEPWELL_API_KEY` and `STEPWELL_API_URL`, which is closed at the end. */
  client?: StepwellClient | undefined
  /** Files to write at the end. */
  files?: EvaluationFiles | undefined
  /** Shows the progress on stderr; a function gets it. Default: true. */
  progress?: boolean | ((progress: Progress) => void) | undefined
  /** Called with each result. */
  onResult?: ((result: EvalResult) => void) | undefined
  /** Stops the run. Items that are under way are given back. */
  signal?: AbortSignal | undefined
}
