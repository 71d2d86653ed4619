import { StepwellClient } from '../../client.js'
import type { Usage } from '../running/usage.js'
import { type JudgeAgreement, judgeAgreement, verdictOn } from './agreement.js'
import type { LiveJudgeOptions, MinimumAgreement } from './options.js'
import { type PreparedJudge, prepareJudge } from './prepare.js'
import { judgeView } from './progress.js'
import { type JudgeProgress, JudgeWorker } from './worker.js'

/** The options of `runJudge`. */
export interface RunJudgeOptions {
  /** Ends when nothing is due any more, in place of waiting for more. Default: false. */
  once?: boolean | undefined
  /** Shows the progress on stderr; a function gets it. Default: true. */
  progress?: boolean | ((progress: JudgeProgress) => void) | undefined
  /** Stops the worker. Judgements that are under way are given back. */
  signal?: AbortSignal | undefined
}

/** The end of a worker. */
export interface JudgeRun {
  /** The judge's name and version: the `scorer` of its scores. */
  readonly judgeId: string
  /**
   * `ended` after its work. `low` when its agreement with people is below the minimum, `unproven` when that can't be told
   * and `unproven: 'stop'` was given: then it judged nothing.
   */
  readonly status: 'ended' | 'low' | 'unproven'
  /** 0 for `ended`, 1 for `low`, 2 for `unproven`. */
  readonly exitCode: 0 | 1 | 2
  /** Steps or conversations that this process judged. */
  readonly judged: number
  /** Attempts of this process that failed. */
  readonly errors: number
  /** The usage of this process. */
  readonly usage: Usage
  /** The agreement with people before it began, for each score; empty without `minimumAgreement`. */
  readonly agreement: readonly JudgeAgreement[]
}

const NOTHING = { judged: 0, errors: 0, usage: { tokens: 0, steps: 0, dollars: 0 } }

/**
 * Judges steps or conversations as they come, until it is stopped, as `stepwell judge worker` does. Any number of processes
 * may run the same judge: nothing is judged twice. One that is killed loses the judgements under way alone, which another one takes when
 * their leases have ended. Needs a key of the scopes `read` and `write`.
 *
 * @returns the number of judgements and their usage, with an exit code.
 * @throws `INVALID_ARGUMENT` when an option is invalid; errors of the service that do not pass.
 * @example
 * import { liveJudge, runJudge } from 'stepwell/evaluate'
 * const short = ({ output }: { output: unknown }) => JSON.stringify(output).length < 400
 * const judge = liveJudge({ name: 'style', on: 'steps', sample: 0.1, scorers: [short], client: stepwell })
 * const { judged } = await runJudge(judge, { once: true, progress: false })
 * console.log(judged)
 */
export const runJudge = async <Input, Output>(
  judge: LiveJudgeOptions<Input, Output>,
  { once = false, progress = true, signal = new AbortController().signal }: RunJudgeOptions = {},
): Promise<JudgeRun> => {
  // The types of inputs and outputs matter to the caller alone.
  const options = judge as unknown as LiveJudgeOptions
  const stepwell = options.client ?? new StepwellClient()
  try {
    const prepared = await prepareJudge(options, stepwell)
    const show = progress === true ? judgeView(options.name) : undefined
    const { agreement, verdict } = await gate(prepared)
    const start = { judgeId: prepared.id, agreement }
    if (verdict === 'low') return { ...start, ...NOTHING, status: 'low', exitCode: 1 }
    if (verdict === 'unproven') return { ...start, ...NOTHING, status: 'unproven', exitCode: 2 }
    const onProgress = typeof progress === 'function' ? progress : (show?.update ?? (() => {}))
    const worker = new JudgeWorker({ judge: prepared, signal, once, onProgress })
    try {
      await worker.run()
    } finally {
      show?.end()
      await stepwell.flush()
    }
    const { judged, errors, usage } = worker
    return { ...start, status: 'ended', exitCode: 0, judged, errors, usage }
  } finally {
    if (options.client === undefined) await stepwell.close()
  }
}

/** Reads the agreement for each of a judge's scores. */
export const agreementOfJudge = ({ id, scorers, stepwell }: PreparedJudge) =>
  Promise.all(scorers.map(({ name }) => judgeAgreement({ judgeId: id, name, client: stepwell })))

/** Returns why a judge must not run; undefined when it may. */
const gate = async (
  prepared: PreparedJudge,
): Promise<{ agreement: JudgeAgreement[]; verdict?: 'low' | 'unproven' }> => {
  const { minimumAgreement } = prepared.options
  if (minimumAgreement === undefined) return { agreement: [] }
  const minimum: MinimumAgreement =
    typeof minimumAgreement === 'number' ? { kappa: minimumAgreement } : minimumAgreement
  const agreement = await agreementOfJudge(prepared)
  const verdicts = agreement.map((one) => verdictOn(one, minimum))
  if (verdicts.includes('low')) return { agreement, verdict: 'low' }
  return minimum.unproven === 'stop' && verdicts.includes('unproven')
    ? { agreement, verdict: 'unproven' }
    : { agreement }
}
