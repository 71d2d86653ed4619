import {
  JudgedStepForAgentDocument,
  JudgedThreadForAgentDocument,
  ScoreForAgentDocument,
} from '../../generated/agents.js'
import type { ScoreType } from '../../generated/schema.js'
import { invalidArgument } from '../errors.js'
import { type Answer, type Budgeted, budgetOf, Lines } from './budget.js'
import { ask, type Source } from './source.js'
import { quote, shownId } from './text.js'

export interface ScoreRequest extends Budgeted {
  /** The judged step; exactly one of it and `threadId`. */
  stepId?: string | undefined
  /** The judged thread. */
  threadId?: string | undefined
  /** The name of the judgement. */
  name: string
  /** The value; may be omitted when `label` is one of the definition's. */
  value?: number | undefined
  /** The value as a label. */
  label?: string | undefined
  /** The reason. */
  comment?: string | undefined
  /** The kind of judge. Default: `AI`. */
  type?: ScoreType | undefined
  /** The person, program or model that judges. */
  scorer?: string | undefined
}

const MAX_NAME = 60

/**
 * Writes a score on a step or a thread that exists. The only verb that writes: it needs a key with the scope `write`, and
 * `read` to see that the step or thread is there.
 *
 * @returns the answer, with the id of the score; null when there is no such step or thread.
 * @throws `INVALID_ARGUMENT` when not exactly one of `stepId` and `threadId` is given, or the value does not fit the definition
 *   of the score, and `FORBIDDEN` when the key may not write.
 */
export const score = async (source: Source, request: ScoreRequest): Promise<Answer | null> => {
  const lines = new Lines(budgetOf(request))
  const { stepId, threadId, name, value, label, comment, type = 'AI', scorer } = request
  if ((stepId === undefined) === (threadId === undefined))
    throw invalidArgument('score: expected either stepId or threadId')
  // A score may come before its step. An id that nothing has is more likely a mistake here.
  if (stepId !== undefined) {
    if ((await ask(source, JudgedStepForAgentDocument, { id: stepId })).step === null) return null
  } else {
    const { threadDetail } = await ask(source, JudgedThreadForAgentDocument, {
      id: threadId as string,
    })
    if (threadDetail === null) return null
  }
  const { createScores } = await ask(source, ScoreForAgentDocument, {
    scores: [{ stepId, threadId, name, value, label, comment, type, scorer }],
  })
  const [written] = createScores.scores
  if (written === undefined) return null
  const judged =
    stepId === undefined ? `thread ${shownId(threadId ?? '')}` : `step ${shownId(stepId)}`
  const shown = written.label === null ? String(written.value) : quote(written.label, MAX_NAME)
  lines.add(`score ${shownId(written.id)}: ${quote(written.name, MAX_NAME)} ${shown} on ${judged}`)
  return lines.answer()
}
