import { gzipSync } from 'node:zlib'
import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { runs } from '../../test/support/runs.js'
import { MAX_LOG_BYTES_OF_STEP, MAX_LOGS_OF_STEP } from '../src/domain/span-logs.js'
import { DEFAULT_LIMITS } from '../src/kernel/limits.js'
import { asJson, jsonAttributes, jsonValue } from './support/otlp.js'
import { toProtobuf } from './support/otlp-message.js'

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  api = new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api
})
afterAll(() => service?.close())

const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) =>
  service.fetch(`http://stepwell.test${path}`, {
    method: 'POST',
    headers: {
      'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
      'x-api-key': 'k',
      ...headers,
    },
    body,
  })

interface Event {
  name: string
  body?: unknown
  attributes?: Record<string, unknown>
  time?: number
  traceId?: string
  spanId?: string
}
const START = 1_763_719_200_000_000_000n
const requestOf = (events: readonly Event[]) => ({
  resourceLogs: [
    {
      resource: { attributes: jsonAttributes({ 'service.name': 'shop' }) },
      scopeLogs: [
        {
          scope: { name: 'openai' },
          logRecords: events.map(({ name, body, attributes, time = 0, ...ids }) => ({
            ...ids,
            eventName: name,
            timeUnixNano: String(START + BigInt(time)),
            ...(body === undefined ? {} : { body: jsonValue(body) }),
            attributes: jsonAttributes(attributes),
          })),
        },
      ],
    },
  ],
})
const sendLogs = async (events: readonly Event[]) => {
  const response = await post('/v1/logs', JSON.stringify(requestOf(events)))
  expect(response.status).toBe(200)
  return response.json()
}
const sendSpan = async (
  traceId: string,
  spanId: string,
  attributes: Record<string, unknown>,
  name = 'chat',
) => {
  const response = await post(
    '/v1/traces',
    asJson({ spans: [{ traceId, spanId, name, attributes }] }),
  )
  expect(await response.json()).toEqual({})
}
let traces = 0
const newIds = () => ({ traceId: String(++traces).padStart(32, 'e'), spanId: '1'.repeat(16) })
const stepOf = async ({ traceId, spanId }: { traceId: string; spanId: string }) => {
  const step = await api.getStep(`${traceId}-${spanId}`)
  if (step === null) throw new Error('expected a step')
  return step
}

const CONVERSATION: Event[] = [
  { name: 'gen_ai.system.message', body: { content: 'Be kind.' } },
  { name: 'gen_ai.user.message', body: { content: 'Weather?' } },
  {
    name: 'gen_ai.assistant.message',
    body: {
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'w', arguments: '{}' } }],
    },
  },
  { name: 'gen_ai.tool.message', body: { id: 'c1', content: 'sunny' } },
  {
    name: 'gen_ai.choice',
    body: { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Sunny.' } },
  },
  {
    name: 'gen_ai.evaluation.result',
    attributes: { 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.value': 0.5 },
  },
].map((event, time) => ({ ...event, time: time + 1 }))

test.each(['one after the other', 'at once'])(
  'log records and their span make the same step, in any order and division: requests %s',
  async (manner) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 3 }), fc.nat()), { minLength: 6, maxLength: 6 }),
        fc.nat({ max: 4 }),
        fc.boolean(),
        async (division, spanPlace, isTwice) => {
          const ids = newIds()
          const requests = new Map<number, Event[]>()
          const shuffled = CONVERSATION.map((event, index) => ({
            event,
            by: division[index],
          })).sort((a, b) => (a.by?.[1] ?? 0) - (b.by?.[1] ?? 0))
          for (const { event, by } of shuffled)
            requests.set(by?.[0] ?? 0, [
              ...(requests.get(by?.[0] ?? 0) ?? []),
              { ...event, ...ids },
            ])
          const sent = [...requests.values()].map(
            (events) => async () => expect(await sendLogs(events)).toEqual({}),
          )
          const span = () =>
            sendSpan(ids.traceId, ids.spanId, {
              'gen_ai.operation.name': 'chat',
              'gen_ai.request.model': 'gpt-4o',
              'gen_ai.conversation.id': `chat ${ids.traceId}`,
            })
          sent.splice(spanPlace, 0, span)
          if (isTwice) sent.push(span)
          if (manner === 'at once') await Promise.all(sent.map((send) => send()))
          else for (const send of sent) await send()
          const step = await stepOf(ids)
          expect(step).toMatchObject({
            type: 'llm',
            name: 'chat',
            threadId: `chat ${ids.traceId}`,
            scores: [{ name: 'tone', value: 0.5 }],
            generation: {
              model: 'gpt-4o',
              messages: [
                { role: 'system', content: 'Be kind.' },
                { role: 'user', content: 'Weather?' },
                { role: 'assistant', tool_calls: [{ id: 'c1' }] },
                { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
              ],
              messageCompletion: { content: 'Sunny.', finish_reason: 'stop' },
            },
          })
          const metadata = step.metadata as Record<string, unknown>
          expect(metadata['gen_ai.request.model']).toBe('gpt-4o')
          const logs = metadata['otel.logs'] as { name: string }[]
          expect(logs.map(({ name }) => name)).toEqual(CONVERSATION.map(({ name }) => name))
          expect(await api.getThread(ids.traceId)).toBeNull()
        },
      ),
      { numRuns: runs(25) },
    )
  },
)

test('the details of a call come as one event, in either encoding, compressed or not', async () => {
  const details: Event = {
    name: 'gen_ai.client.inference.operation.details',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'claude',
      'gen_ai.usage.output_tokens': 4,
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.conversation.id': 'named by an event',
      'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }],
      'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'Hi' }] }],
    },
  }
  for (const encode of [
    (events: Event[]) => post('/v1/logs', JSON.stringify(requestOf(events))),
    (events: Event[]) => post('/v1/logs', toProtobuf(requestOf(events))),
    (events: Event[]) =>
      post('/v1/logs', new Uint8Array(gzipSync(toProtobuf(requestOf(events)))), {
        'content-encoding': 'gzip',
      }),
  ]) {
    const ids = newIds()
    expect((await encode([{ ...details, ...ids }])).status).toBe(200)
    const step = await stepOf(ids)
    expect(step).toMatchObject({
      type: 'llm',
      threadId: 'named by an event',
      generation: {
        model: 'claude',
        tokenCount: 7,
        messages: [{ role: 'user', content: 'Hello' }],
        messageCompletion: { content: 'Hi' },
      },
    })
  }
})

test('tokens of which a span tells some and its log record others agree with their sums, in either order', async () => {
  for (const isSpanFirst of [true, false]) {
    const ids = newIds()
    const span = () =>
      sendSpan(ids.traceId, ids.spanId, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.cache_read.input_tokens': 4,
      })
    const record = async () => {
      const name = 'gen_ai.client.inference.operation.details'
      const attributes = { 'gen_ai.usage.input_tokens': 9, 'gen_ai.usage.output_tokens': 5 }
      expect(await sendLogs([{ ...ids, name, attributes }])).toEqual({})
    }
    for (const send of isSpanFirst ? [span, record] : [record, span]) await send()
    expect((await stepOf(ids)).generation).toMatchObject({
      usage: { input: 6, cached: 4, output: 5, total: 15 },
      inputTokenCount: 10,
      outputTokenCount: 5,
      tokenCount: 15,
    })
  }
})

test('messages of the span itself stay, and those of its log records are in the metadata', async () => {
  for (const isSpanFirst of [true, false]) {
    const ids = newIds()
    const span = () =>
      sendSpan(ids.traceId, ids.spanId, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'of the span' }] },
        ]),
      })
    if (isSpanFirst) await span()
    await sendLogs([
      { name: 'gen_ai.user.message', body: { content: 'of the event' }, ...ids },
      { name: 'gen_ai.choice', body: { message: { content: 'answer' } }, time: 1, ...ids },
    ])
    if (!isSpanFirst) await span()
    const { generation, metadata } = await stepOf(ids)
    expect(generation).toMatchObject({
      messages: [{ content: 'of the span' }],
      messageCompletion: { content: 'answer' },
    })
    expect(metadata).toMatchObject({
      'otel.logs': [{ name: 'gen_ai.user.message', body: { content: 'of the event' } }, {}],
    })
  }
})

test('log records of no span, and others than those of generative AI, are counted as rejected', async () => {
  const ids = newIds()
  const answer = await sendLogs([
    { name: '', body: 'an ordinary line', ...ids },
    { name: 'gen_ai.user.message', body: { content: 'of nobody' } },
    { name: 'gen_ai.user.message', body: { content: 'kept' }, ...ids },
  ])
  expect(answer).toEqual({
    partialSuccess: {
      rejectedLogRecords: '2',
      errorMessage: expect.stringContaining('eventName: expected an event of generative AI'),
    },
  })
  expect((await stepOf(ids)).generation).toMatchObject({ messages: [{ content: 'kept' }] })
})

test('records beyond what a step may have are rejected, and those that are stored may come again', async () => {
  const ids = newIds()
  const events = Array.from({ length: MAX_LOGS_OF_STEP + 2 }, (_, time) => ({
    name: 'gen_ai.user.message',
    body: { content: `message ${time}` },
    time,
    ...ids,
  }))
  for (let time = 0; time < 2; time++) {
    const { partialSuccess } = await sendLogs(events)
    expect(partialSuccess).toMatchObject({ rejectedLogRecords: '2' })
  }
  const { generation } = await stepOf(ids)
  expect(generation?.messages).toHaveLength(MAX_LOGS_OF_STEP)
  expect(await sendLogs(events.slice(0, 3))).toEqual({})
})

test('records of one step may have so many bytes together, and a single one any size', async () => {
  const ids = newIds()
  const message = (content: string, time: number): Event => ({
    name: 'gen_ai.user.message',
    body: { content },
    time,
    ...ids,
  })
  const third = 'x'.repeat(MAX_LOG_BYTES_OF_STEP / 3)
  const { partialSuccess } = await sendLogs(
    [1, 2, 3].map((time) => message(`${time}${third}`, time)),
  )
  expect(partialSuccess).toEqual({
    rejectedLogRecords: '1',
    errorMessage: expect.stringContaining(`of ${MAX_LOG_BYTES_OF_STEP} bytes together`),
  })
  // There is room for a small one, in a request of its own.
  expect(await sendLogs([message('small', 4)])).toEqual({})
  expect(await sendLogs([message(`1${third}`, 1)])).toEqual({})
  expect((await stepOf(ids)).generation?.messages).toMatchObject([
    { content: `1${third}` },
    { content: `2${third}` },
    { content: 'small' },
  ])
  const other = newIds()
  const large = 'y'.repeat(2 * MAX_LOG_BYTES_OF_STEP)
  expect(await sendLogs([{ ...message(large, 1), ...other }])).toEqual({})
  expect((await stepOf(other)).generation?.messages).toMatchObject([{ content: large }])
})

test('a field of a call that is too large is left out alone, and named', async () => {
  const ids = newIds()
  const content = 'x'.repeat(DEFAULT_LIMITS.payloadBytes)
  const attributes = {
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.output_tokens': 4,
    'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }],
    'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content }] }],
  }
  const name = 'gen_ai.client.inference.operation.details'
  expect(await sendLogs([{ name, attributes, ...ids }])).toEqual({})
  const { generation, metadata } = await stepOf(ids)
  expect(generation).toMatchObject({
    model: 'gpt-4o',
    outputTokenCount: 4,
    messages: [{ content: 'Hello' }],
    messageCompletion: null,
  })
  expect(metadata).toMatchObject({
    'otel.omitted': ['generation.messageCompletion', 'otel.logs'],
  })
})

test('of several evaluations of one name the latest counts, as events or log records, in any order and division', async () => {
  const judgements = fc.uniqueArray(
    fc.record({
      time: fc.nat({ max: 50 }),
      value: fc.nat({ max: 9 }),
      request: fc.nat({ max: 2 }),
    }),
    { selector: ({ time }) => time, minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(judgements, fc.nat({ max: 3 }), async (given, spanPlace) => {
      const latest = given.toSorted((a, b) => a.time - b.time).at(-1)?.value
      const events = given.map(({ time, value, request }) => ({
        name: 'gen_ai.evaluation.result',
        attributes: { 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.value': value },
        time,
        request,
      }))
      const [byLogs, byEvents] = [newIds(), newIds()]
      const chat = { name: 'chat', attributes: { 'gen_ai.operation.name': 'chat' } }
      const times = { start: START, end: START + 100n }
      const sendChat = async (span: object) => {
        const body = asJson({ spans: [{ ...chat, ...times, ...span }] })
        expect(await (await post('/v1/traces', body)).json()).toEqual({})
      }
      await sendChat({
        ...byEvents,
        events: events.map(({ name, attributes, time }) => ({
          name,
          attributes,
          time: START + BigInt(time),
        })),
      })
      const sends = [0, 1, 2].map((number) => async () => {
        const some = events.filter(({ request }) => request === number)
        if (some.length > 0)
          await sendLogs(some.map(({ request: _, ...event }) => ({ ...event, ...byLogs })))
      })
      for (const send of sends.toSpliced(spanPlace, 0, () => sendChat(byLogs))) await send()
      for (const ids of [byEvents, byLogs])
        expect((await stepOf(ids)).scores).toMatchObject([{ name: 'tone', value: latest }])
    }),
    { numRuns: runs(25) },
  )
})

test('more records than are read at once keep the order of their request', async () => {
  const ids = newIds()
  const events = Array.from({ length: 1200 }, (_, index) => ({
    name: 'gen_ai.user.message',
    body: { content: index === 0 || index === 1199 ? 'again' : `${index}` },
    ...(index % 600 < 2 || index === 1199 ? ids : { ...ids, spanId: '2'.repeat(16) }),
  }))
  await sendLogs(events)
  expect((await stepOf(ids)).generation?.messages).toMatchObject([
    { content: 'again' },
    { content: '1' },
    { content: '600' },
    { content: '601' },
    { content: 'again' },
  ])
})

test('equal records of one request are several messages', async () => {
  const ids = newIds()
  const again = { name: 'gen_ai.user.message', body: { content: 'again' }, ...ids }
  for (let time = 0; time < 2; time++) await sendLogs([again, again])
  expect((await stepOf(ids)).generation?.messages).toHaveLength(2)
})

test('a deleted step is forgotten with its log records', async () => {
  const ids = newIds()
  await sendLogs([{ name: 'gen_ai.user.message', body: { content: 'private' }, ...ids }])
  await api.deleteStep(`${ids.traceId}-${ids.spanId}`)
  await sendSpan(ids.traceId, ids.spanId, { 'gen_ai.operation.name': 'chat' })
  expect(JSON.stringify(await stepOf(ids))).not.toContain('private')
})

test('logs need a key as traces do, metrics are answered clearly, and other bodies are not OTLP', async () => {
  expect((await post('/v1/logs', '{}', { 'x-api-key': 'none' })).status).toBe(401)
  const other = await post('/v1/logs', '{"resourceSpans":[]}')
  expect(other.status).toBe(400)
  expect((await other.json()).errors[0].message).toContain('resourceLogs: expected a list')
  const metrics = await post('/v1/metrics', '{}')
  expect(metrics.status).toBe(404)
  expect((await metrics.json()).errors[0].message).toContain(
    'metrics of OpenTelemetry are not stored',
  )
})
