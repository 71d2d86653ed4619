import type { StepwellClient } from '../client.js'
import { invalidArgument } from '../errors.js'
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

const whole = (name: string, value: number | undefined, least: number, most: number): void => {
  if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most))
    throw invalidArgument(`${name}: expected a whole number from ${least} to ${most}, got ${value}`)
}

const positive = (place: string, values: object | undefined): void => {
  for (const [name, value] of Object.entries(values ?? {}))
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      throw invalidArgument(`${place}.${name}: expected a number above 0`)
}

const notNegative = (name: string, value: number | undefined): void => {
  if (value !== undefined && !(Number.isFinite(value) && value >= 0))
    throw invalidArgument(`${name}: expected a number from 0 on`)
}

const checkCompareTo = (given: CompareTo | null | undefined): void => {
  if (given === undefined) return
  const wanted: unknown = typeof given === 'object' ? given?.experiment : given
  if (typeof wanted !== 'string' || wanted === '')
    throw invalidArgument('compareTo: expected previous, or the name or id of an experiment')
}

/** Checks options. @throws StepwellError that names the invalid one. */
export const checkOptions = (options: EvaluateOptions): void => {
  const { name, task, scorers, decide, confidence, errors } = options
  if (typeof name !== 'string' || name === '') throw invalidArgument('name: expected a text')
  if (options.data == null) throw invalidArgument('data: expected a dataset, a list or an iterable')
  if (typeof task !== 'function') throw invalidArgument('task: expected a function')
  if (!Array.isArray(scorers)) throw invalidArgument('scorers: expected a list')
  whole('repetitions', options.repetitions, 1, 1000)
  whole('concurrency', options.concurrency, 1, 10_000)
  whole('leaseSeconds', options.leaseSeconds, 1, 3600)
  whole('retry.attempts', options.retry?.attempts, 1, 100)
  positive('limits', options.limits)
  positive('budget', options.budget)
  const dollars = options.limits?.dollars ?? options.budget?.dollars
  if (dollars !== undefined && Object.keys(options.prices ?? {}).length === 0)
    throw invalidArgument('prices: expected those of the models, as there is a limit in dollars')
  notNegative('errors.allowed', errors?.allowed)
  if (confidence !== undefined && !(confidence > 0 && confidence < 1))
    throw invalidArgument('confidence: expected a number between 0 and 1')
  if (decide !== undefined && (typeof decide.metric !== 'string' || decide.metric === ''))
    throw invalidArgument('decide.metric: expected the name of a score')
  const range = decide?.range
  if (
    range !== undefined &&
    !(Number.isFinite(range.low) && range.low < range.high && Number.isFinite(range.high))
  )
    throw invalidArgument('decide.range: expected a number low below a number high')
  notNegative('decide.margin', decide?.margin)
  checkCompareTo(options.compareTo)
}
