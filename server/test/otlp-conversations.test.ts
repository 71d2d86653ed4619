import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { asJson } from './support/otlp.js'

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  api = new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api
})
afterAll(() => service?.close())

interface Planned {
  spanId: string
  parentSpanId: string
  start: bigint
  attributes: Record<string, string>
}

const send = async (traceId: string, spans: readonly Planned[]) => {
  const response = await service.fetch('http://stepwell.test/v1/traces', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
    body: asJson({ spans: spans.map((span) => ({ ...span, traceId, name: span.spanId })) }),
  })
  expect(await response.json()).toEqual({})
}

const idOf = (index: number) => String(index + 1).padStart(16, '0')
let traces = 0
const newTrace = () => String(++traces).padStart(32, 'a')

/** A tree of spans, of which some name a conversation, divided into requests in any order. */
const plan = fc
  .array(
    fc.record({
      parent: fc.nat(),
      start: fc.integer({ min: 0, max: 3 }),
      conversation: fc.option(fc.constantFrom('one', 'two'), { freq: 3 }),
      attribute: fc.constantFrom('session.id', 'gen_ai.conversation.id'),
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

test.each(['one after the other', 'at once'])(
  'the spans of a trace are in one thread, however they come, and in the same one: requests %s',
  async (manner) => {
    await fc.assert(
      fc.asyncProperty(plan, async (spans) => {
        const traceId = newTrace()
        const own = (name: string) => `${traceId} ${name}`
        const requests = new Map<number, Planned[]>()
        for (const span of spans.toSorted((a, b) => a.order - b.order)) {
          const { request, spanId, parentSpanId, conversation, attribute, start } = span
          const attributes: Record<string, string> =
            conversation === null ? {} : { [attribute]: own(conversation) }
          const planned = { spanId, parentSpanId, start: BigInt(start), attributes }
          requests.set(request, [...(requests.get(request) ?? []), planned])
        }
        const sent = [...requests.values()]
        if (manner === 'at once') await Promise.all(sent.map((some) => send(traceId, some)))
        else for (const some of sent) await send(traceId, some)
        const naming = spans
          .filter(({ conversation }) => conversation !== null)
          .map((span) => ({
            ...span,
            key: [span.parentSpanId === '' ? 0 : 1, span.start || 9, span.spanId].join(' '),
          }))
          .sort((a, b) => (a.key < b.key ? -1 : 1))
        const expected = naming[0] === undefined ? traceId : own(naming[0].conversation as string)
        const thread = await api.getThread(expected)
        expect(thread?.steps?.map(({ id }) => id).sort()).toEqual(
          spans.map(({ spanId }) => `${traceId}-${spanId}`).sort(),
        )
        for (const other of [traceId, own('one'), own('two')])
          if (other !== expected) expect(await api.getThread(other)).toBeNull()
      }),
      { numRuns: 60 },
    )
  },
  120_000,
)

test('a trace that moves leaves threads that others named or described', async () => {
  const traceId = newTrace()
  const span = (index: number, parent: string, conversation: string): Planned => ({
    spanId: idOf(index),
    parentSpanId: parent,
    start: 5n,
    attributes: { 'session.id': conversation },
  })
  await api.upsertThread({ threadId: 'named before', name: 'Kept' })
  await send(traceId, [span(1, idOf(0), 'named before')])
  expect((await api.getThread('named before'))?.steps).toHaveLength(1)
  await send(traceId, [span(0, '', 'of the first span')])
  expect((await api.getThread('of the first span'))?.steps).toHaveLength(2)
  expect(await api.getThread('named before')).toMatchObject({ name: 'Kept', steps: [] })
})

test('a deleted conversation is not named by the traces that were in it any more', async () => {
  const traceId = newTrace()
  const span = (index: number, attributes = {}): Planned => ({
    spanId: idOf(index),
    parentSpanId: '',
    start: 5n,
    attributes,
  })
  await send(traceId, [span(0, { 'session.id': 'forgotten' })])
  await api.deleteThread('forgotten')
  await send(traceId, [span(1)])
  expect(await api.getThread('forgotten')).toBeNull()
  expect((await api.getThread(traceId))?.steps).toHaveLength(1)
})
