import type { Step } from '../../api/steps.js'
import type { EvalItem } from '../data/item.js'
import { fromPayload } from '../data/payload.js'
import { afterSeconds } from '../running/after-seconds.js'
import { LimitError } from '../running/limits.js'
import type { Usage, UsageMeter } from '../running/usage.js'
import { messageOf, runScorers, type Scored, type VersionedScorer } from '../scoring/run-scorers.js'
import type { JudgedMaterial } from './options.js'
import type { PreparedJudge } from './prepare.js'

const SECONDS = 120

/** The judgement of a step. */
export interface StepJudgement extends Scored {
  readonly usage: Usage
  /** Everything that scorers threw, as it was. */
  readonly thrown: readonly unknown[]
}

/** Runs the scorers on a step, and records that as a run of the environment `experiment`. Never rejects. */
export const judgeStep = async (
  { options, id, scorers, stepwell }: PreparedJudge,
  step: Step,
  meter: UsageMeter,
  outer: AbortSignal,
): Promise<StepJudgement> => {
  const run = stepwell.experimentItemRun({
    name: `judge ${options.name}`,
    input: { stepId: step.id },
    metadata: { judge: id, stepId: step.id, threadId: step.threadId },
  })
  const usage = meter.begin(run.id, () => {})
  const thrown: unknown[] = []
  const inner = new AbortController()
  const forward = () => inner.abort(outer.reason)
  if (outer.aborted) forward()
  outer.addEventListener('abort', forward)
  const { seconds = SECONDS } = options
  const cancel = afterSeconds(seconds, () =>
    inner.abort(new LimitError(`the judgement took more than ${seconds} seconds`)),
  )
  try {
    const scored = await run.wrap(async () => {
      const result = await runScorers(
        scorers.map((scorer) => watched(scorer, thrown)),
        givenOf(options.read ?? materialOf, step, inner.signal),
        stepwell,
      )
      run.output = { scores: result.scores, errors: result.errors }
      run.error = result.errors.length === 0 ? undefined : result.errors.join('\n')
      return result
    })
    return { ...scored, usage: totalOf(usage), thrown }
  } catch (error) {
    return { scores: [], errors: [messageOf(error)], usage: totalOf(usage), thrown: [error] }
  } finally {
    cancel()
    outer.removeEventListener('abort', forward)
    meter.end(run.id)
  }
}

const totalOf = ({ tokens, steps, dollars }: Usage): Usage => ({ tokens, steps, dollars })

/** Keeps the errors of a scorer, which tell more than their messages. */
const watched = (scorer: VersionedScorer, thrown: unknown[]): VersionedScorer => ({
  ...scorer,
  score: async (given) => {
    try {
      return await scorer.score(given)
    } catch (error) {
      thrown.push(error)
      throw error
    }
  },
})

const givenOf = (read: (step: Step) => JudgedMaterial, step: Step, signal: AbortSignal) => {
  const { input, expected, output } = read(step)
  const { id: stepId, threadId, name, type } = step
  const item: EvalItem = {
    key: stepId,
    input,
    expected,
    metadata: {
      ...(step.metadata as Record<string, unknown> | null),
      stepId,
      threadId,
      name,
      type,
    },
    datasetItemId: undefined,
  }
  return { input, expected, output, item, signal }
}

interface CallParts {
  messages?: unknown
  prompt?: unknown
  messageCompletion?: unknown
  completion?: unknown
}

/** Returns input and output of a step, or else those of its call of a model. */
const materialOf = ({ input, output, generation }: Step): JudgedMaterial => {
  const call = (generation ?? {}) as CallParts
  return {
    input: fromPayload(input) ?? call.messages ?? call.prompt ?? undefined,
    output: fromPayload(output) ?? call.messageCompletion ?? call.completion ?? undefined,
  }
}
