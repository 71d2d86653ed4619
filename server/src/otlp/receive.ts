import type { Caller } from '../domain/caller.js'
import type { Domain } from '../domain/domain.js'
import { DomainError } from '../domain/errors.js'
import type { Span } from './span.js'
import { conversationsOf, flawOf, toStep } from './steps.js'

export interface Received {
  rejected: number
  /** Why the first of those was rejected; empty when none was. */
  message: string
}

/**
 * Stores spans as steps. A trace is a thread of its own, unless one of its spans names a conversation. What comes twice is
 * stored once, so what passes is refused as a whole, and exporters send it again.
 */
export const receiveSpans = async (
  domain: Domain,
  caller: Caller,
  spans: readonly Span[],
): Promise<Received> => {
  const conversations = conversationsOf(spans)
  const threadOf = ({ traceId }: Span) => conversations.get(traceId) ?? traceId
  const flaws: string[] = []
  const sound = spans.filter((span) => {
    const flaw = flawOf(span)
    if (flaw !== undefined) flaws.push(flaw)
    return flaw === undefined
  })
  // A thread of its own is called as its first span is.
  const named = sound.filter(
    ({ traceId, parentSpanId, name }) =>
      parentSpanId === '' && name !== '' && !conversations.has(traceId),
  )
  const outcomes = [
    ...(await domain.threads.upsertAll(
      caller,
      named.map(({ traceId, name }) => ({ id: traceId, name })),
    )),
    ...(await domain.steps.ingest(
      caller,
      sound.map((span) => toStep(span, threadOf(span))),
    )),
  ]
  const refused = outcomes.filter((refusal) => refusal !== null)
  const passing = refused.find(({ code }) => code === 'UNAVAILABLE' || code === 'INTERNAL')
  if (passing !== undefined) throw new DomainError('UNAVAILABLE', passing.message)
  const reasons = [...flaws, ...refused.map(({ message }) => message)]
  return { rejected: reasons.length, message: reasons[0] ?? '' }
}
