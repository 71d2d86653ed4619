import type { StepInput, ThreadInput } from '../../generated/resolvers.js'
import { portionsOf } from '../database/portions.js'
import type { Domain } from '../domain/domain.js'
import { isObject } from '../domain/values.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, type Refusal } from '../kernel/errors.js'
import type { Turn } from '../kernel/sharing/turns.js'
import { Copies } from './copies.js'
import { isBeyond, withinLimit } from './metadata.js'
import type { Span } from './span.js'
import { conversationsOf, flawOf, stepId, toStep, traceOf, usersOf } from './steps.js'

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
) => portionsOf(items, { mostRows: STORED_AT_ONCE, mostCharacters: COPIED_AT_ONCE, weigh })

export interface Received {
  rejected: number
  /** The reason of the first rejection; empty when there was none. */
  message: string
}

/**
 * Stores spans as steps. A trace is a thread of its own, unless one of its spans names a conversation: then its earlier
 * steps move there too. A span that comes twice is stored once, so a temporary failure refuses the whole request, and
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
  const named = conversationsOf(sound, domain.limits.idBytes)
  const conversations = new Map([
    ...(await earlierConversations(domain, caller, sound, named, turn)),
    ...named,
  ])
  const threadOf = ({ traceId }: Span) => conversations.get(traceId) ?? traceId
  const refused: Refusal[] = []
  const note = (outcomes: readonly (Refusal | null)[]) => {
    for (const outcome of outcomes) if (outcome !== null) refused.push(outcome)
  }
  for (const some of portions(threadsOf(sound, conversations, threadOf))) {
    await turn()
    note(await domain.threads.upsertAll(caller, some))
  }
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
      steps.push(toStep(span, threadOf(span), copies.of(span)))
      read += 1 + span.attributes.size / ATTRIBUTES_OF_SPAN
    }
    await turn()
    note(await ingest(domain, caller, steps, turn))
  }
  const passing = refused.find(({ code }) => code === 'UNAVAILABLE' || code === 'INTERNAL')
  if (passing !== undefined) throw new DomainError('UNAVAILABLE', passing.message)
  for (const some of portions([...named].filter(([traceId, thread]) => traceId !== thread))) {
    await turn()
    await domain.threads.moveTraces(caller, new Map(some))
  }
  const reasons = [...flaws, ...refused.map(({ message }) => message)]
  return { rejected: reasons.length, message: reasons[0] ?? '' }
}

/** Returns the conversations that earlier requests named: the threads of stored parents, and of the spans themselves. */
const earlierConversations = async (
  domain: Domain,
  caller: Caller,
  spans: readonly Span[],
  named: ReadonlyMap<string, string>,
  turn: Turn,
): Promise<ReadonlyMap<string, string>> => {
  const conversations = new Map<string, string>()
  const unknown = spans.filter(({ traceId }) => !named.has(traceId))
  for (const some of portions(unknown)) {
    await turn()
    const ids = new Set<string>()
    for (const { traceId, spanId, parentSpanId } of some) {
      ids.add(stepId(traceId, spanId))
      if (parentSpanId !== '') ids.add(stepId(traceId, parentSpanId))
    }
    for (const { id, threadId } of await domain.steps.threadsOf(caller, [...ids]))
      if (threadId !== traceOf(id)) conversations.set(traceOf(id), threadId)
  }
  return conversations
}

/** Returns the threads of which a request says something: a thread of its own is named after its first span. */
const threadsOf = (
  spans: readonly Span[],
  conversations: ReadonlyMap<string, string>,
  threadOf: (span: Span) => string,
): ThreadInput[] => {
  const threads = new Map<string, ThreadInput>()
  for (const { traceId, parentSpanId, name } of spans)
    if (parentSpanId === '' && name !== '' && !conversations.has(traceId))
      threads.set(traceId, { id: traceId, name })
  for (const [id, participantId] of usersOf(spans, threadOf))
    threads.set(id, { ...threads.get(id), id, participantId })
  return [...threads.values()]
}

/** Stores steps; those with too much metadata without the largest of it. */
const ingest = async (
  domain: Domain,
  caller: Caller,
  steps: StepInput[],
  turn: Turn,
): Promise<(Refusal | null)[]> => {
  const { metadataBytes } = domain.limits
  const shorten = async (index: number) => {
    const { metadata, ...step } = steps[index] as StepInput
    if (!isObject(metadata)) return
    await turn()
    steps[index] = { ...step, metadata: withinLimit(metadata, metadataBytes) }
  }
  // Writing much as JSON only to have it rejected would cost as much as storing it.
  for (const [index, { metadata }] of steps.entries())
    if (isObject(metadata) && isBeyond(metadata, metadataBytes)) await shorten(index)
  const outcomes = await domain.steps.ingest(caller, steps)
  const large = outcomes.flatMap((outcome, index) =>
    outcome?.code === 'TOO_LARGE' && outcome.message.startsWith('metadata:') ? [index] : [],
  )
  if (large.length === 0) return outcomes
  for (const index of large) await shorten(index)
  const again = await domain.steps.ingest(
    caller,
    large.map((index) => steps[index] as StepInput),
  )
  large.forEach((index, position) => {
    outcomes[index] = again[position] ?? null
  })
  return outcomes
}
