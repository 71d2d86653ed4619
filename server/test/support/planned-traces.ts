import fc from 'fast-check'

// Traces whose spans name conversations and users, and come in any number of requests, in any order.

/** A span as a request has it. */
export interface Planned {
  spanId: string
  parentSpanId: string
  start: bigint
  attributes: Record<string, string>
}

export const idOf = (index: number) => String(index + 1).padStart(16, '0')
let traces = 0
export const newTrace = () => String(++traces).padStart(32, 'a')

/** A tree of spans, of which some name a conversation or a user, divided into requests in any order. */
export const planOfTrace = fc
  .array(
    fc.record({
      parent: fc.nat(),
      start: fc.integer({ min: 0, max: 3 }),
      conversation: fc.option(fc.constantFrom('one', 'two'), { freq: 3 }),
      attribute: fc.constantFrom('session.id', 'gen_ai.conversation.id'),
      user: fc.option(fc.constantFrom('ann', 'bob'), { freq: 3 }),
      request: fc.nat({ max: 4 }),
      order: fc.nat(),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((spans) =>
    spans.map((span, index) => ({
      ...span,
      spanId: idOf(index),
      parentSpanId: index === 0 ? '' : idOf(span.parent % index),
    })),
  )

type Plan = typeof planOfTrace extends fc.Arbitrary<infer Spans> ? Spans : never

const conversationOf = (traceId: string, name: string) => `${traceId} ${name}`

/** Returns the requests of a trace, in order. */
export const requestsOf = (traceId: string, spans: Plan): Planned[][] => {
  const requests = new Map<number, Planned[]>()
  for (const span of spans.toSorted((a, b) => a.order - b.order)) {
    const { request, spanId, parentSpanId, conversation, attribute, start, user } = span
    const attributes: Record<string, string> =
      conversation === null ? {} : { [attribute]: conversationOf(traceId, conversation) }
    if (user !== null) attributes['user.id'] = user
    const planned = { spanId, parentSpanId, start: BigInt(start), attributes }
    requests.set(request, [...(requests.get(request) ?? []), planned])
  }
  return [...requests.values()]
}

/** Returns where all steps of a trace are, and of whom, once all requests are answered: the root decides, then the first span. */
export const expectedOf = (traceId: string, spans: Plan) => {
  const ranked = spans
    .map((span) => ({
      ...span,
      key: [span.parentSpanId === '' ? 0 : 1, span.start || 9, span.spanId].join(' '),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const naming = ranked.find(({ conversation }) => conversation !== null)?.conversation
  const threadId = naming == null ? traceId : conversationOf(traceId, naming)
  const all = [traceId, ...['one', 'two'].map((name) => conversationOf(traceId, name))]
  return {
    threadId,
    stepIds: spans.map(({ spanId }) => `${traceId}-${spanId}`).sort(),
    user: ranked.find((span) => span.user !== null)?.user ?? null,
    leftThreads: all.filter((id) => id !== threadId),
  }
}
