import type { JudgeBudget } from '../../api/judges.js'
import type { Step } from '../../api/steps.js'
import type { ThreadWithSteps } from '../../api/threads.js'
import type { StepwellClient } from '../../client.js'
import { invalidArgument } from '../../errors.js'
import type { StepsFilter, ThreadsFilter } from '../../lists/filters.js'
import type { ModelPrice } from '../running/usage.js'
import type { ScoreFunction, Scorer } from '../scoring/scorer.js'

/** A step or conversation as scorers see it. */
export interface JudgedMaterial<Input = unknown, Output = unknown> {
  input: Input
  /** The expected output, where something knows it. */
  expected?: unknown
  output: Output
}

/** The agreement with people without which a judge does not run. */
export interface MinimumAgreement {
  /** Cohen's kappa, from 0 to 1: of each score that people give by the same name. */
  kappa: number
  /**
   * Decides if the judge runs while too few pairs tell. `judge` runs it: only that makes pairs for a new version.
   * `stop` runs it once the interval of kappa is above. Default: `judge`.
   */
  unproven?: 'judge' | 'stop' | undefined
}

/** The options of every judge of live traffic. */
interface CommonOptions<Input = unknown, Output = unknown> {
  /** The name. The versions of a name share a budget. */
  name: string
  /** The version. Nothing is judged twice by one. Default: a hash of the scorers and of `read`. */
  version?: string | undefined
  /** The share that is judged, from 0 to 1, by a hash of the id. */
  sample: number
  /** Seconds for which a thing must not have changed. Default: 10 for a step, 300 for a conversation. */
  quietSeconds?: number | undefined
  /** Scores of each step or conversation: functions, or results of `scorer` and `judge`. */
  scorers: readonly (Scorer<Input, never, Output> | ScoreFunction<Input, never, Output>)[]
  /** Limits of a day, from midnight UTC on, for all workers together. */
  budget?: { perDay: JudgeBudget } | undefined
  /** Prices of models by their names, for a budget in dollars. */
  prices?: Readonly<Record<string, ModelPrice>> | undefined
  /** Judgements at once in this process, at most; fewer while a provider refuses calls. Default: 4. */
  concurrency?: number | undefined
  /** Seconds after which a judgement fails. Default: 120. */
  seconds?: number | undefined
  /** The agreement with people that it needs: Cohen's kappa, or that with a rule for too few pairs. */
  minimumAgreement?: number | MinimumAgreement | undefined
  /**
   * The client that records the judge's calls of models. Default: one by `STEPWELL_API_KEY` and `STEPWELL_API_URL`, which is
   * closed at the end.
   */
  client?: StepwellClient | undefined
}

/** A judge of steps. */
export interface LiveStepJudgeOptions<Input = unknown, Output = unknown>
  extends CommonOptions<Input, Output> {
  /** `steps` judges steps that have ended. */
  on: 'steps'
  /** Conditions that must all hold, as in `api.getSteps`. Default: none, so that all steps are judged. */
  filters?: readonly StepsFilter[] | undefined
  /** Returns the material for the scorers. Default: input and output of the step, or else those of its generation. */
  read?: ((step: Step) => JudgedMaterial<Input, Output>) | undefined
}

/** A judge of conversations. */
export interface LiveThreadJudgeOptions<Input = unknown, Output = unknown>
  extends CommonOptions<Input, Output> {
  /** `threads` judges conversations that have ended, by the rule of the project if it has one. */
  on: 'threads'
  /** Conditions that must all hold, as in `api.listThreads`. Default: none, so that all conversations are judged. */
  filters?: readonly ThreadsFilter[] | undefined
  /** Returns the material for the scorers. Default: `{ messages }` before the last answer, and the last answer. */
  read?: ((thread: ThreadWithSteps) => JudgedMaterial<Input, Output>) | undefined
}

/** A judge of live traffic: the default export of a file that `stepwell judge worker` runs. */
export type LiveJudgeOptions<Input = unknown, Output = unknown> =
  | LiveStepJudgeOptions<Input, Output>
  | LiveThreadJudgeOptions<Input, Output>

/**
 * Describes a judge of live traffic, to be exported by a file that `stepwell judge worker` runs, or given to `runJudge`.
 *
 * @returns the judge, as it was given.
 * @throws `INVALID_ARGUMENT` when an option is invalid.
 * @example
 * import { liveJudge } from 'stepwell/evaluate'
 * const short = ({ output }: { output: unknown }) => JSON.stringify(output).length < 400
 * const judge = liveJudge({ name: 'style', on: 'steps', sample: 0.1, scorers: [short], budget: { perDay: { judgements: 500 } } })
 * console.log(judge.name)
 */
export const liveJudge = <Input = unknown, Output = unknown>(
  options: LiveJudgeOptions<Input, Output>,
): LiveJudgeOptions<Input, Output> => {
  checkLiveJudge(options as unknown as LiveJudgeOptions)
  return options
}

const MAX_QUIET_SECONDS = 86_400
/** A lease lasts half a minute longer. */
const MAX_SECONDS = 3570

/** @throws StepwellError that names the option that is invalid. */
export const checkLiveJudge = (options: LiveJudgeOptions): void => {
  const { name, sample, scorers, budget, read, minimumAgreement } = options
  if (typeof name !== 'string' || name === '') throw invalidArgument('name: expected a text')
  const on: unknown = options.on
  if (on !== 'steps' && on !== 'threads') throw invalidArgument('on: expected steps or threads')
  number('sample', sample, 0, 1)
  if (!Array.isArray(scorers) || scorers.length === 0)
    throw invalidArgument('scorers: expected a list of at least one')
  if (read !== undefined && typeof read !== 'function')
    throw invalidArgument('read: expected a function')
  number('quietSeconds', options.quietSeconds, 0, MAX_QUIET_SECONDS)
  number('concurrency', options.concurrency, 1, 100)
  number('seconds', options.seconds, 1, MAX_SECONDS)
  for (const [unit, limit] of Object.entries(budget?.perDay ?? {}))
    if (limit !== null) number(`budget.perDay.${unit}`, limit, 0, Number.MAX_SAFE_INTEGER)
  if (budget?.perDay.dollars != null && Object.keys(options.prices ?? {}).length === 0)
    throw invalidArgument('prices: expected those of the models, as there is a budget in dollars')
  const minimum =
    typeof minimumAgreement === 'object' && minimumAgreement !== null
      ? minimumAgreement.kappa
      : minimumAgreement
  number('minimumAgreement', minimum, 0, 1)
}

const number = (name: string, value: number | undefined, least: number, most: number): void => {
  if (value === undefined && name !== 'sample') return
  if (!(typeof value === 'number' && value >= least && value <= most))
    throw invalidArgument(`${name}: expected a number from ${least} to ${most}, got ${value}`)
}
