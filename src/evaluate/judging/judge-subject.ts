import type { EvalItem } from '../data/item.js'
import { afterSeconds } from '../running/after-seconds.js'
import { LimitError } from '../running/limits.js'
import type { Usage, UsageMeter } from '../running/usage.js'
import { messageOf, runScorers, type Scored, type VersionedScorer } from '../scoring/run-scorers.js'
import type { PreparedJudge } from './prepare.js'
import type { Subject } from './subjects.js'

const SECONDS = 120

/** The judgement of a step or conversation. */
export interface Judgement extends Scored {
  readonly usage: Usage
  /** Everything that scorers threw, as it was. */
  readonly thrown: readonly unknown[]
}

/** Runs the scorers on a step or conversation, and records that as a run of the environment `experiment`. Never rejects. */
export const judgeSubject = async (
  { options, id, scorers, stepwell }: PreparedJudge,
  subject: Subject,
  meter: UsageMeter,
  outer: AbortSignal,
): Promise<Judgement> => {
  const run = stepwell.experimentItemRun({
    name: `judge ${options.name}`,
    input: onlyIdOf(subject),
    metadata: { judge: id, ...subject.ids },
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
        givenOf(subject, inner.signal),
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

/** Steps have their id alone, as before there were judges of conversations. */
const onlyIdOf = ({ ids: { stepId, threadId } }: Subject) =>
  stepId === undefined ? { threadId } : { stepId }

const givenOf = ({ id: key, metadata, read }: Subject, signal: AbortSignal) => {
  const { input, expected, output } = read()
  const item: EvalItem = { key, input, expected, metadata, datasetItemId: undefined }
  return { input, expected, output, item, signal }
}
