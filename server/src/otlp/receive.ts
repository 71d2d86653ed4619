import type { StepInput } from '../../generated/resolvers.js'
import type { Domain } from '../domain/domain.js'
import type { Caller } from '../kernel/caller.js'
import { DomainError, type Refusal } from '../kernel/errors.js'
import type { Turn } from '../kernel/turns.js'
import type { Span } from './span.js'
import { conversationsOf, flawOf, toStep } from './steps.js'

/** Spans that are stored together, and those that are read before others get their turn. */
const STORED_AT_ONCE = 2000
const READ_AT_ONCE = 200

function* portions<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += STORED_AT_ONCE)
    yield items.slice(from, from + STORED_AT_ONCE)
}

export interface Received {
  rejected: number
  /** The reason of the first rejection; empty when there was none. */
  message: string
}

/**
 * Stores spans as steps. A trace is a thread of its own, unless one of its spans names a conversation. A span that
 * comes twice is stored once, so a temporary failure refuses the whole request, and exporters send it again.
 */
export const receiveSpans = async (
  domain: Domain,
  caller: Caller,
  spans: readonly Span[],
  turn: Turn,
): Promise<Received> => {
  const conversations = conversationsOf(spans)
  const threadOf = ({ traceId }: Span) => conversations.get(traceId) ?? traceId
  const flaws: string[] = []
  const sound = spans.filter((span) => {
    const flaw = flawOf(span)
    if (flaw !== undefined) flaws.push(flaw)
    return flaw === undefined
  })
  // A thread of its own is named after its first span.
  const named = sound.filter(
    ({ traceId, parentSpanId, name }) =>
      parentSpanId === '' && name !== '' && !conversations.has(traceId),
  )
  const refused: Refusal[] = []
  const note = (outcomes: readonly (Refusal | null)[]) => {
    for (const outcome of outcomes) if (outcome !== null) refused.push(outcome)
  }
  for (const some of portions(named)) {
    await turn()
    const threads = some.map(({ traceId, name }) => ({ id: traceId, name }))
    note(await domain.threads.upsertAll(caller, threads))
  }
  for (const some of portions(sound)) {
    await turn()
    const steps: StepInput[] = []
    for (const [index, span] of some.entries()) {
      if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await turn()
      steps.push(toStep(span, threadOf(span)))
    }
    note(await domain.steps.ingest(caller, steps))
  }
  const passing = refused.find(({ code }) => code === 'UNAVAILABLE' || code === 'INTERNAL')
  if (passing !== undefined) throw new DomainError('UNAVAILABLE', passing.message)
  const reasons = [...flaws, ...refused.map(({ message }) => message)]
  return { rejected: reasons.length, message: reasons[0] ?? '' }
}
