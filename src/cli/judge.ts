import { StepwellClient } from '../client.js'
import { StepwellError } from '../errors.js'
import type { JudgeAgreement } from '../evaluate/judging/agreement.js'
import { checkLiveJudge, type LiveJudgeOptions } from '../evaluate/judging/options.js'
import { prepareJudge } from '../evaluate/judging/prepare.js'
import { agreementOfJudge, type JudgeRun, runJudge } from '../evaluate/judging/run-judge.js'
import { columns, shown } from '../evaluate/reporting/text.js'
import { guarded, loadDefault, stackOf } from './load-default.js'
import { noSuchCommand, readUsage } from './usage.js'

const HELP = `Usage: stepwell judge worker FILE [--once] [--quiet]
       stepwell judge agreement FILE

Judges live traffic by the judge that a module exports by default: the result of liveJudge() of stepwell/evaluate.

  worker      judge steps as they come, together with other workers, until it is stopped (SIGINT, SIGTERM)
  agreement   print the agreement of the judge with people

  --once      end when nothing is due any more
  --quiet     show no progress

Exit codes: 0 ended or stopped, 1 the agreement with people is below the minimum of the judge, 2 it can't be told and the judge
asks for it, 3 broken.
`
const BROKEN = 3

/** Runs a judge, or prints its agreement with people. Returns the exit code. */
export const judge = async (args: readonly string[]): Promise<number> => {
  const [verb = '', ...rest] = args
  const isVerb = verb === 'worker' || verb === 'agreement'
  const usage = readUsage(isVerb ? rest : args, HELP, [], ['once', 'quiet'])
  if (usage === undefined) return 0
  if (!isVerb) throw noSuchCommand(verb, ['worker', 'agreement'])
  if (usage.command === '') {
    process.stderr.write('stepwell: expected a file. Usage: stepwell judge --help\n')
    return BROKEN
  }
  try {
    return await guarded(BROKEN, async () => {
      const options = await load(usage.command, verb)
      return verb === 'agreement' ? printAgreement(options) : work(options, usage.has)
    })
  } catch (error) {
    const text = StepwellError.is(error) ? error.message : stackOf(error)
    process.stderr.write(`stepwell: ${text}\n`)
    return BROKEN
  }
}

const load = async (file: string, verb: string): Promise<LiveJudgeOptions> => {
  const given = (await loadDefault(file, `judge ${verb}`)) as LiveJudgeOptions | undefined
  checkLiveJudge(given ?? ({} as LiveJudgeOptions))
  return given as LiveJudgeOptions
}

const work = async (options: LiveJudgeOptions, has: (flag: string) => boolean): Promise<number> => {
  const stopped = new AbortController()
  const stop = () => {
    // A second signal ends the process at once, as without a listener.
    for (const signal of SIGNALS) process.removeListener(signal, stop)
    stopped.abort(new Error('the worker was stopped'))
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    const run = await runJudge(options, {
      once: has('once'),
      progress: !has('quiet'),
      signal: stopped.signal,
    })
    process.stdout.write(`${endOf(run)}\n`)
    return run.exitCode
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

const endOf = ({ judgeId, status, judged, errors, usage, agreement }: JudgeRun): string => {
  if (status === 'ended')
    return `${judgeId}: ${judged} judged, ${errors} errors, ${shown(usage.tokens)} tokens`
  const reason =
    status === 'low'
      ? 'its agreement with people is below the minimum'
      : 'its agreement with people can’t be told yet'
  return `${judgeId}: it judges nothing, as ${reason}\n${tableOf(agreement)}`
}

const printAgreement = async (options: LiveJudgeOptions): Promise<number> => {
  const stepwell = options.client ?? new StepwellClient()
  try {
    const prepared = await prepareJudge(options, stepwell)
    process.stdout.write(`${prepared.id}\n${tableOf(await agreementOfJudge(prepared))}\n`)
    return 0
  } finally {
    if (options.client === undefined) await stepwell.close()
  }
}

const tableOf = (agreement: readonly JudgeAgreement[]): string =>
  columns([
    ['score', 'kappa', '95 %', 'same', 'pairs'],
    ...agreement.map(({ name, kappa, interval, same, pairs, weights }) => [
      name,
      kappa === null ? '–' : `${shown(kappa)}${weights === 'quadratic' ? ' (quadratic)' : ''}`,
      interval === null ? 'can’t tell' : `${shown(interval.low)} to ${shown(interval.high)}`,
      pairs === 0 ? '–' : `${Math.round(100 * same)} %`,
      String(pairs),
    ]),
  ])
