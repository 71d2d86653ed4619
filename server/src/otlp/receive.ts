import type { StepInput, ThreadInput } from '../../generated/resolvers.js'
import { portionsOf } from '../database/portions.js'
import type { Domain } from '../domain/domain.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, type Refusal } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { noteRefusal } from '../kernel/watching/current-request.js'
import { Copies } from './keeping/copies.js'
import { storeSteps } from './keeping/within-limits.js'
import type { Span } from './span.js'
import { Conversations } from './traces.js'
import { claimsOf, usersOf } from './understanding/conversations.js'
import { copiedThreads, isCopy } from './understanding/dialects/stepwell.js'
import { joinLogs } from './understanding/logs.js'
import { promptLinks } from './understanding/prompts.js'
import { flawOf, shortName, stepId, toStep } from './understanding/steps.js'

/** Spans that are stored together, and those that are read before others get their turn. */
const STORED_AT_ONCE = 2000
const READ_AT_ONCE = 200
/** Attributes that take about as long to read as the rest of a span. */
const ATTRIBUTES_OF_SPAN = 20
/** Characters that all spans of an origin repeat, in the steps that are stored together. */
const COPIED_AT_ONCE = 16_000_000

const portions = <Item extends object>(
  items: readonly Item[],
  weigh: (item: Item) => number = () => 0,
) => portionsOf(items, { mostRows: STORED_AT_ONCE, mostWeight: COPIED_AT_ONCE, weigh })

export interface Received {
  /** The spans that were not stored. */
  rejected: number
  /** The reason of the first rejection, or else what of a stored span was left out; empty when there was nothing. */
  message: string
}

/**
 * Stores spans as steps. A trace is a thread of its own, unless one of its spans names a conversation, in this request
 * or in any other: then all of its steps are there. A span that comes twice is stored once, so a temporary failure refuses the whole request, and
 * exporters send it again.
 */
export const receiveSpans = async (
  domain: Domain,
  caller: Caller,
  spans: readonly Span[],
  turn: Turn,
): Promise<Received> => {
  const flaws: string[] = []
  const sound = spans.filter((span) => {
    const flaw = flawOf(span)
    if (flaw !== undefined) flaws.push(flaw)
    return flaw === undefined
  })
  if (flaws.length > 0) noteRefusal('item', 'INVALID_ARGUMENT', flaws.length)
  // Copies of steps say which thread each is in; a trace may be in several.
  const own = sound.filter((span) => !isCopy(span))
  const conversations = new Conversations(domain, caller, own, turn)
  await conversations.claim(claimsOf(own, domain.limits.idBytes))
  const threadOf = (span: Span) => conversations.threadOf(span)
  const notes: string[] = []
  const refused: Refusal[] = []
  const refusedThreads: Refusal[] = []
  const users = usersOf(own, domain.limits.textBytes, (note) => notes.push(note))
  const threads = [...threadsOf(own, conversations), ...copiedThreads(sound.filter(isCopy))]
  for (const some of portions(threads)) {
    await turn()
    for (const { refusal } of await domain.threads.upsertAll(caller, some))
      if (refusal !== null) refusedThreads.push(refusal)
  }
  await conversations.assign(users)
  const linked = await promptLinks(domain, caller, own)
  const copies = new Copies()
  for (const some of portions(sound, ({ origin }) => origin.characters)) {
    await turn()
    const steps: StepInput[] = []
    let read = 0
    for (const span of some) {
      if (read >= READ_AT_ONCE) {
        await turn()
        read = 0
      }
      steps.push(linked(span, toStep(span, threadOf(span), copies.of(span))))
      read += 1 + span.attributes.size / ATTRIBUTES_OF_SPAN
    }
    await turn()
    for (const { refusal, refusedScores } of await storeSteps(domain, caller, steps, turn)) {
      if (refusal !== null) refused.push(refusal)
      for (const { message } of refusedScores) notes.push(message)
    }
  }
  const passing = [...refused, ...refusedThreads].find(
    ({ code }) => code === 'UNAVAILABLE' || code === 'INTERNAL',
  )
  if (passing !== undefined) throw new DomainError('UNAVAILABLE', passing.message)
  await joinEarlierLogs(domain, caller, own, turn)
  await conversations.settle()
  const reasons = [...flaws, ...refused.map(({ message }) => message)]
  // Threads are no spans: a client that counts rejected ones must not count more than it has sent.
  notes.push(...refusedThreads.map(({ message }) => `thread: ${message}`), ...withheldNotes(sound))
  return { rejected: reasons.length, message: reasons[0] ?? notes[0] ?? '' }
}

/** Joins the steps of spans with log records that came before them, or that came since they were stored before. */
const joinEarlierLogs = async (
  domain: Domain,
  caller: Caller,
  spans: readonly Span[],
  turn: Turn,
): Promise<void> => {
  const ids = spans.map(({ traceId, spanId }) => stepId(traceId, spanId))
  await domain.spanLogs.join(caller, ids, joinLogs(domain.limits.metadataBytes), turn)
}

/** Says of how many spans something was left out. */
const withheldNotes = (spans: readonly Span[]): string[] => {
  const cut = spans.filter(({ withheld }) => withheld !== undefined)
  const parts = cut.reduce((sum, { withheld = 0 }) => sum + withheld, 0)
  return cut.length === 0
    ? []
    : [
        `spans: stored ${cut.length} without ${parts} attributes, events and links, as there were too many; otel.withheld counts them`,
      ]
}

/** Returns the threads of which a request says something: a thread of its own is named after its first span. */
const threadsOf = (spans: readonly Span[], conversations: Conversations): ThreadInput[] => {
  const threads = new Map<string, ThreadInput>()
  for (const { traceId, parentSpanId, name } of spans)
    if (parentSpanId === '' && name !== '' && !conversations.has(traceId))
      threads.set(traceId, { id: traceId, name: shortName(name) })
  return [...threads.values()]
}
