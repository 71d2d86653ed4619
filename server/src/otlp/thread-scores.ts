import type { ScorePayloadInput, ThreadInput } from '../../generated/resolvers.js'
import type { Domain } from '../domain/domain.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'
import type { Log } from './log.js'
import { isSpanId } from './span.js'
import { firstId } from './understanding/attributes.js'
import { scoreOf } from './understanding/evaluations.js'
import { environmentOf } from './understanding/steps.js'

/** Scores that are stored with a thread at once. */
const STORED_AT_ONCE = 500

/** An evaluation that names a conversation, and no span. */
export interface ThreadEvaluation {
  threadId: string
  environment: string | undefined
  score: ScorePayloadInput
}

/** Returns the evaluation of a conversation as a whole; undefined for all other log records. */
export const threadEvaluationOf = (log: Log, mostBytes: number): ThreadEvaluation | undefined => {
  if (isSpanId(log.spanId)) return undefined
  const score = scoreOf(log)
  const threadId = firstId(log.attributes, 'gen_ai.conversation.id', 'session.id')
  if (score === undefined || threadId === undefined || threadId === '') return undefined
  if (Buffer.byteLength(threadId) > mostBytes) return undefined
  return { threadId, environment: environmentOf(log.origin.resource.attributes), score }
}

/**
 * Stores evaluations as scores of their threads, which may have arrived before or arrive later. An evaluation that comes
 * again changes nothing. Returns a reason for each one that was not stored.
 */
export const storeThreadScores = async (
  domain: Domain,
  caller: Caller,
  evaluations: readonly ThreadEvaluation[],
  turn: Turn,
): Promise<string[]> => {
  const reasons: string[] = []
  for (const threads of portionsOf(evaluations)) {
    await turn()
    const outcomes = await domain.threads.upsertAll(caller, threads)
    for (const [index, { refusal, refusedScores }] of outcomes.entries()) {
      if (refusal?.code === 'UNAVAILABLE' || refusal?.code === 'INTERNAL')
        throw new DomainError('UNAVAILABLE', refusal.message)
      if (refusal !== null)
        reasons.push(...(threads[index]?.scores ?? []).map(() => refusal.message))
      for (const { message } of refusedScores) reasons.push(message)
    }
  }
  return reasons
}

/** Gathers evaluations by their threads, a portion at a time. */
function* portionsOf(evaluations: readonly ThreadEvaluation[]): Generator<ThreadInput[]> {
  for (let from = 0; from < evaluations.length; from += STORED_AT_ONCE) {
    const threads = new Map<string, ThreadInput & { scores: ScorePayloadInput[] }>()
    for (const { threadId: id, environment, score } of evaluations.slice(
      from,
      from + STORED_AT_ONCE,
    )) {
      const thread = threads.get(id) ?? {
        id,
        ...(environment === undefined ? {} : { environment }),
        scores: [],
      }
      thread.scores.push(score)
      threads.set(id, thread)
    }
    yield [...threads.values()]
  }
}
