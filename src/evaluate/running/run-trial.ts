import { nameOfTrial, type Trial } from '../data/item.js'
import { outOfRange } from '../deciding/score-range.js'
import { runScorers, type Scored } from '../scoring/run-scorers.js'
import { afterSeconds } from './after-seconds.js'
import { LimitError, limitError, SECONDS, untilAborted } from './limits.js'
import { runTask } from './run-task.js'
import type { TrialResult, TrialSetup } from './trial-setup.js'
import type { Usage } from './usage.js'

/** Runs the task on an item and scores its output. Rejects only with the reason of an aborted signal. */
export const runTrial = async (
  setup: TrialSetup,
  trial: Trial,
  signal: AbortSignal,
): Promise<TrialResult> => {
  const { stepwell, experimentId, name } = setup
  const { item, repetition } = trial
  const thread = stepwell.thread({
    name: `${name}: ${item.key}`,
    environment: 'experiment',
    metadata: { experimentId, itemKey: item.key, repetition },
  })
  return stepwell.decorate({ environment: 'experiment' }).wrap(() =>
    thread.wrap(async () => {
      const attempt = await runTask(setup, trial, signal)
      const { usage, ...own } = attempt
      const rest = { ...own, ...setup.measured?.get(nameOfTrial(item.key, repetition)) }
      if (attempt.failure !== undefined) return { ...rest, scores: [], errors: [] }
      const given = { item, output: attempt.output, threadId: thread.id, usage }
      return { ...rest, ...(await scoreOutput(setup, given, signal)) }
    }),
  )
}

/** Runs the scorers, which have as much time as an attempt of the task. */
const scoreOutput = async (
  { scorers, stepwell, limits, decide, meter, isPriced }: TrialSetup,
  {
    item,
    output,
    threadId,
    usage: before,
  }: { item: Trial['item']; output: unknown; threadId: string; usage: Usage },
  outer: AbortSignal,
): Promise<Scored> => {
  const { seconds = SECONDS } = limits
  const inner = new AbortController()
  const forward = () => inner.abort(outer.reason)
  outer.addEventListener('abort', forward)
  const cancel = afterSeconds(seconds, () =>
    inner.abort(new LimitError(`it took more than ${seconds} seconds`)),
  )
  // Judges' calls count like those of the task.
  const usage = meter.begin(
    threadId,
    () => {
      const error = limitError(limits, usage, isPriced)
      if (error !== undefined && !inner.signal.aborted) inner.abort(error)
    },
    before,
  )
  const { input, expected } = item
  const given = { input, expected, output, item, signal: inner.signal }
  try {
    const scored = await untilAborted(() => runScorers(scorers, given, stepwell), outer)
    const problem = outOfRange(decide, scored.scores)
    if (problem === undefined) return scored
    const scores = scored.scores.filter(({ name }) => name !== decide?.metric)
    return { scores, errors: [...scored.errors, problem] }
  } finally {
    cancel()
    meter.end(threadId)
    outer.removeEventListener('abort', forward)
  }
}
