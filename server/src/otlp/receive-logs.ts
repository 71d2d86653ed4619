import type { StepInput } from '../../generated/resolvers.js'
import type { Domain } from '../domain/domain.js'
import { MAX_LOG_BYTES_OF_STEP, MAX_LOGS_OF_STEP, type SizedSpanLog } from '../domain/span-logs.js'
import type { TraceClaim } from '../domain/traces/traces.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { noteRefusal } from '../kernel/watching/current-request.js'
import { Copies } from './keeping/copies.js'
import type { Log } from './log.js'
import type { Received } from './receive.js'
import { storeThreadScores, type ThreadEvaluation, threadEvaluationOf } from './thread-scores.js'
import { Conversations } from './traces.js'
import { firstId } from './understanding/attributes.js'
import { scoreOf } from './understanding/evaluations.js'
import { flawOfLog, isOfModels, joinLogs, spanLogsOf } from './understanding/logs.js'
import { environmentOf, stepId } from './understanding/steps.js'

/** Log records that are read and stored before others get their turn, and bytes of them. */
const READ_AT_ONCE = 500
const BYTES_AT_ONCE = 1_000_000

/**
 * Stores log records with the steps of their spans, which may come before or after them. A step without a span is there
 * for its records too. Evaluations of a conversation, without a span, are scores of its thread. Other records of no span, and those that are no events of generative AI, are counted as rejected.
 */
export const receiveLogs = async (
  domain: Domain,
  caller: Caller,
  logs: readonly Log[],
  turn: Turn,
): Promise<Received> => {
  const reasons: string[] = []
  const ofThreads: ThreadEvaluation[] = []
  const sound = logs.filter((log) => {
    const evaluation = threadEvaluationOf(log, domain.limits.idBytes)
    if (evaluation !== undefined) {
      ofThreads.push(evaluation)
      return false
    }
    const flaw = flawOfLog(log)
    if (flaw !== undefined) reasons.push(flaw)
    // Applications send all of their logs here, and expect that others are left out.
    if (flaw !== undefined && isOfModels(log)) noteRefusal('item', 'INVALID_ARGUMENT')
    return flaw === undefined
  })
  reasons.push(...(await storeThreadScores(domain, caller, ofThreads, turn)))
  if (sound.length > 0) {
    const conversations = new Conversations(domain, caller, sound, turn)
    await conversations.claim(claimsOf(sound, domain.limits.idBytes))
    for (const portion of portionsOfLogs(sound)) {
      await turn()
      const refused = await storePortion(domain, caller, portion, conversations, turn)
      if (refused > 0) noteRefusal('item', 'TOO_LARGE', refused)
      for (let index = 0; index < refused; index++)
        reasons.push(
          `logRecords: expected at most ${MAX_LOGS_OF_STEP} events of one span, of ${MAX_LOG_BYTES_OF_STEP} bytes together`,
        )
    }
    await conversations.settle()
  }
  return { rejected: reasons.length, message: reasons[0] ?? '' }
}

interface ReadLog {
  log: Log
  stored: SizedSpanLog
}

/** Reads log records, and divides them so that each portion is stored before the next one takes memory. */
function* portionsOfLogs(logs: readonly Log[]): Generator<readonly ReadLog[]> {
  const copies = new Copies()
  const toSpanLog = spanLogsOf((log) => copies.of(log))
  let portion: ReadLog[] = []
  let bytes = 0
  for (const log of logs) {
    const stored = toSpanLog(log)
    portion.push({ log, stored })
    bytes += stored.bytes
    if (portion.length < READ_AT_ONCE && bytes < BYTES_AT_ONCE) continue
    yield portion
    portion = []
    bytes = 0
  }
  if (portion.length > 0) yield portion
}

/** Stores log records, and joins their steps with them. Returns how many had no place. */
const storePortion = async (
  domain: Domain,
  caller: Caller,
  portion: readonly ReadLog[],
  conversations: Conversations,
  turn: Turn,
): Promise<number> => {
  const stored = portion.map((one) => one.stored)
  const refused = new Set(await domain.spanLogs.add(caller, stored, turn))
  await turn()
  const steps = stepsOf(
    portion.map(({ log }) => log),
    conversations,
  )
  for (const { refusal } of await domain.steps.ingest(caller, steps))
    if (refusal !== null) throw new DomainError('UNAVAILABLE', refusal.message)
  // A step that had no place for any of its records says the same as before.
  const changed = [...new Set(stored.flatMap((log) => (refused.has(log) ? [] : [log.stepId])))]
  const judged = new Set(
    portion.flatMap(({ log, stored: one }) =>
      scoreOf(log) === undefined || refused.has(one) ? [] : [one.stepId],
    ),
  )
  const join = joinLogs(domain.limits.metadataBytes, judged)
  await domain.spanLogs.join(caller, changed, join, turn)
  return refused.size
}

/** Returns the steps of log records: as much of them as the records say, should their spans never come. */
const stepsOf = (logs: readonly Log[], conversations: Conversations): StepInput[] => {
  const steps = new Map<string, StepInput>()
  for (const log of logs) {
    const id = stepId(log.traceId, log.spanId)
    const environment = environmentOf(log.origin.resource.attributes)
    const step = steps.get(id) ?? {
      id,
      threadId: conversations.threadOf(log),
      ...(environment === undefined ? {} : { environment }),
    }
    steps.set(id, step)
  }
  return [...steps.values()]
}

/** Returns the conversations that events name: only where no span names one, whatever the order they come in. */
const claimsOf = (logs: readonly Log[], mostBytes: number): TraceClaim[] => {
  const claims = new Map<string, TraceClaim>()
  for (const { traceId: id, spanId, timeUnixNano, attributes } of logs) {
    const threadId = firstId(attributes, 'gen_ai.conversation.id', 'session.id')
    if (threadId === undefined || Buffer.byteLength(threadId) > mostBytes) continue
    const rank = `2 ${String(timeUnixNano).padStart(20, '0')} ${spanId}`
    if (rank < (claims.get(id)?.rank ?? '~')) claims.set(id, { id, threadId, rank })
  }
  return [...claims.values()]
}
