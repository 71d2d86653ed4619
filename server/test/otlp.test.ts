import { gzipSync } from 'node:zlib'
import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { PbfReader } from 'pbf'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { Budget } from '../src/otlp/encoding/budget.js'
import { readJson } from '../src/otlp/encoding/json.js'
import { readProtobuf } from '../src/otlp/encoding/protobuf.js'
import { TRACES } from '../src/otlp/encoding/schema.js'
import { asJson, asProtobuf, type Given } from './support/otlp.js'

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  api = new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api
})
afterAll(() => service?.close())

const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  service.fetch('http://stepwell.test/v1/traces', {
    method: 'POST',
    headers: {
      'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
      'x-api-key': 'k',
      ...headers,
    },
    body,
  })
const trace = (digit: string) => digit.repeat(32)
const span = (digit: string) => digit.repeat(16)
const START = 1_763_719_200_123_456_789n
const SECOND = 1_000_000_000n

const agent = (traceId: string, more: Record<string, unknown> = {}): Given => ({
  resource: {
    'service.name': 'shop',
    'service.version': '1.4.0',
    'deployment.environment.name': 'staging',
  },
  scope: 'my-agent',
  spans: [
    // Children end first, so they are sent first.
    {
      traceId,
      spanId: span('2'),
      parentSpanId: span('1'),
      name: 'chat gpt-4o',
      start: START + SECOND,
      end: START + 3n * SECOND,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-4o',
        'gen_ai.response.model': 'gpt-4o-2024-08-06',
        'gen_ai.request.temperature': 0.5,
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.output_tokens': 30,
        'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be kind.' }]),
        'gen_ai.input.messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'Where is it?' }] },
        ]),
        'gen_ai.output.messages': JSON.stringify([
          {
            role: 'assistant',
            parts: [{ type: 'tool_call', id: 'c1', name: 'look_up', arguments: { order: 1042 } }],
            finish_reason: 'tool_call',
          },
        ]),
      },
    },
    {
      traceId,
      spanId: span('3'),
      parentSpanId: span('1'),
      name: 'execute_tool look_up',
      start: START + 3n * SECOND,
      end: START + 4n * SECOND,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'look_up',
        'gen_ai.tool.call.arguments': '{"order":1042}',
        attempts: 2,
      },
      events: [
        {
          name: 'exception',
          attributes: { 'exception.type': 'TimeoutError', 'exception.message': 'no answer' },
        },
      ],
      status: { code: 2, message: 'no answer' },
    },
    {
      traceId,
      spanId: span('1'),
      name: 'answer',
      start: START,
      end: START + 5n * SECOND,
      attributes: more,
    },
  ],
})

describe.each([
  ['JSON', asJson],
  ['protobuf', asProtobuf],
] as const)('spans that come as %s', (name, encode) => {
  const traceId = trace(name === 'JSON' ? 'a' : 'b')
  test('become their thread, steps and generations, however often they are sent', async () => {
    for (let time = 0; time < 2; time++) {
      const response = await send(encode(agent(traceId)))
      expect(response.status).toBe(200)
    }
    const thread = await api.getThread(traceId)
    expect(thread?.name).toBe('answer')
    const steps = thread?.steps ?? []
    expect(steps.map(({ type, name: called }) => [type, called])).toEqual([
      ['run', 'answer'],
      ['llm', 'chat gpt-4o'],
      ['tool', 'look_up'],
    ])
    const [run, call, tool] = steps
    expect(call?.parentId).toBe(run?.id)
    expect(run).toMatchObject({
      startTime: '2025-11-21T10:00:00.123456Z',
      endTime: '2025-11-21T10:00:05.123456Z',
      environment: 'staging',
      metadata: { 'service.name': 'shop', release: '1.4.0', 'otel.scope.name': 'my-agent' },
    })
    expect(call?.generation).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o-2024-08-06',
      settings: { temperature: 0.5 },
      inputTokenCount: 120,
      outputTokenCount: 30,
      tokenCount: 150,
      duration: 2,
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Where is it?' },
      ],
      messageCompletion: {
        role: 'assistant',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'look_up', arguments: '{"order":1042}' },
          },
        ],
      },
    })
    expect(tool).toMatchObject({
      input: { order: 1042 },
      error: 'TimeoutError: no answer',
      metadata: { attempts: 2 },
    })
  })

  test('belong to the conversation that one of them names', async () => {
    const own = trace(name === 'JSON' ? 'c' : 'd')
    await send(encode(agent(own, { 'session.id': `chat ${name}` })))
    expect((await api.getThread(`chat ${name}`))?.steps).toHaveLength(3)
    expect(await api.getThread(own)).toBeNull()
  })

  test('have no parent where its id is written as zeros', async () => {
    const own = (name === 'JSON' ? 'a0' : 'b0').repeat(16)
    const root = { traceId: own, spanId: span('1'), parentSpanId: '00'.repeat(8), name: 'root' }
    await send(encode({ spans: [root] }))
    expect(await api.getStep(`${own}-${span('1')}`)).toMatchObject({ type: 'run', parentId: null })
  })

  test('lose nothing valid beside an invalid one, which is reported', async () => {
    const own = trace(name === 'JSON' ? 'e' : 'f')
    const response = await send(
      encode({
        spans: [
          { traceId: own, spanId: '00'.repeat(8) },
          { traceId: own, spanId: span('1') },
        ],
      }),
    )
    expect(response.status).toBe(200)
    expect(await api.getStep(`${own}-${span('1')}`)).not.toBeNull()
    const wrong = 'spanId: expected 16 hexadecimal digits, not all of them 0'
    if (name === 'JSON')
      expect(await response.json()).toEqual({
        partialSuccess: { rejectedSpans: '1', errorMessage: wrong },
      })
    else {
      expect(response.headers.get('content-type')).toBe('application/x-protobuf')
      const found = { rejected: 0, message: '' }
      const reader = new PbfReader(new Uint8Array(await response.arrayBuffer()))
      reader.readFields(
        ((field: number) => {
          expect(field).toBe(1)
          reader.readMessage(
            ((inner: number) => {
              if (inner === 1) found.rejected = reader.readVarint()
              else found.message = reader.readString()
            }) as never,
            undefined,
          )
        }) as never,
        undefined,
      )
      expect(found).toEqual({ rejected: 1, message: wrong })
    }
  })
})

test('the flat messages of OpenInference and of OpenLLMetry become messages', async () => {
  const attributes = {
    openinference: {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-4o',
      'llm.token_count.total': 12,
      'llm.invocation_parameters': '{"top_p":0.1}',
      'llm.input_messages.1.message.role': 'tool',
      'llm.input_messages.1.message.content': 'sunny',
      'llm.input_messages.1.message.tool_call_id': 'c1',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.contents.0.message_content.text': 'Weather?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'pack',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{}',
      'input.value': 'Weather?',
    },
    openllmetry: {
      'llm.request.type': 'chat',
      'gen_ai.system': 'Anthropic',
      'gen_ai.request.model': 'claude',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Hello',
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'Hi',
    },
  }
  const own = '1234567890abcdef'.repeat(2)
  await send(
    asJson({
      spans: Object.values(attributes).map((one, index) => ({
        traceId: own,
        spanId: span(String(index + 1)),
        attributes: one,
      })),
    }),
  )
  const [first, second] = await Promise.all([
    api.getStep(`${own}-${span('1')}`),
    api.getStep(`${own}-${span('2')}`),
  ])
  expect(first).toMatchObject({
    type: 'llm',
    input: { content: 'Weather?' },
    generation: {
      model: 'gpt-4o',
      tokenCount: 12,
      settings: { top_p: 0.1 },
      messages: [
        { role: 'user', content: 'Weather?' },
        { role: 'tool', content: 'sunny', tool_call_id: 'c1' },
      ],
      messageCompletion: { tool_calls: [{ function: { name: 'pack', arguments: '{}' } }] },
    },
  })
  expect(second).toMatchObject({
    type: 'llm',
    generation: {
      provider: 'Anthropic',
      messages: [{ role: 'user', content: 'Hello' }],
      messageCompletion: { role: 'assistant', content: 'Hi' },
    },
  })
})

test('names of members that every object has are words like any other', async () => {
  const own = trace('7')
  const attributes = { 'gen_ai.operation.name': 'constructor' }
  const response = await send(
    asJson({
      resource: { 'deployment.environment': 'constructor' },
      spans: [{ traceId: own, spanId: span('1'), attributes }],
    }),
  )
  expect(await response.json()).toEqual({})
  expect(await api.getStep(`${own}-${span('1')}`)).toMatchObject({
    type: 'run',
    environment: 'prod',
  })
})

test('a compressed body is read, and one in neither encoding is rejected', async () => {
  const own = trace('9')
  const body = new Uint8Array(
    gzipSync(asProtobuf({ spans: [{ traceId: own, spanId: span('1') }] })),
  )
  expect((await send(body, { 'content-encoding': 'gzip' })).status).toBe(200)
  expect(await api.getStep(`${own}-${span('1')}`)).toMatchObject({ type: 'run' })
  const other = await send('x', { 'content-type': 'text/plain' })
  expect(other.status).toBe(400)
  expect((await other.json()).errors[0].message).toContain('content-type: expected')
  expect((await send('{}')).status).toBe(200)
  expect((await send(new Uint8Array(0))).status).toBe(200)
})

test.each([
  ['{"resourceSpans":7}', 'resourceSpans: expected a list of objects'],
  ['{"resourceSpans":[1]}', 'resourceSpans: expected a list of objects'],
  ['{"resourceSpans":[{"scopeSpans":{}}]}', 'resourceSpans.scopeSpans: expected a list'],
  ['{"resourceSpans":[{"scopeSpans":[{"spans":["x"]}]}]}', 'scopeSpans.spans: expected a list'],
  ['{"hello":"world"}', 'resourceSpans: expected a list, as in an ExportTraceServiceRequest'],
  [new Uint8Array(Buffer.from('hello, world')), 'expected an ExportTraceServiceRequest'],
  [new Uint8Array([0x08, 0x01]), 'it has no resource spans'],
  [new Uint8Array([0x0a, 0x7f, 0x00]), 'it is cut off'],
])('a body that is not OTLP is answered with 400: %s', async (body, message) => {
  const response = await send(body)
  expect(response.status).toBe(400)
  expect((await response.json()).errors[0].message).toContain(message)
})

test('an element other than a span, scope or resource keeps none beside it out', async () => {
  const own = trace('9')
  const scopeSpans = [null, { spans: [null, { traceId: own, spanId: span('1') }, 'x'] }]
  const response = await send(JSON.stringify({ resourceSpans: ['x', { scopeSpans }] }))
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ partialSuccess: { rejectedSpans: '2' } })
  expect(await api.getStep(`${own}-${span('1')}`)).not.toBeNull()
})

const atOnce = () => undefined
const fromProtobuf = (bytes: Uint8Array) =>
  readProtobuf(bytes, new Budget(bytes.length), atOnce, TRACES)

test('both encodings are read as the same, with any content', async () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
    ),
  })).value
  const attributes = fc.dictionary(fc.string(), value, { maxKeys: 4 })
  const hex = (digits: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`))
  const nanoseconds = fc.bigInt({ min: 0n, max: 2n ** 63n })
  await fc.assert(
    fc.asyncProperty(
      attributes,
      fc.array(
        fc.record({
          traceId: hex(32),
          spanId: hex(16),
          parentSpanId: fc.constantFrom('', span('1')),
          name: fc.string({ unit: 'grapheme' }),
          start: nanoseconds,
          end: nanoseconds,
          attributes,
          status: fc.record({ code: fc.constantFrom(0, 1, 2), message: fc.string() }),
        }),
        { maxLength: 3 },
      ),
      async (resource, spans) => {
        const given = { resource, scope: 'scope', spans }
        expect(await fromProtobuf(asProtobuf(given))).toEqual(
          await readJson(JSON.parse(asJson(given)), new Budget(0), atOnce, TRACES),
        )
      },
    ),
  )
})

test('random bytes are rejected as protobuf, or read as empty, and break nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      try {
        await fromProtobuf(bytes)
      } catch (error) {
        expect(error).toMatchObject({ code: 'BAD_REQUEST' })
      }
    }),
    { numRuns: 1000 },
  )
  let deep: unknown = 'x'
  for (let level = 0; level < 300; level++) deep = [deep]
  const body = asProtobuf({
    spans: [{ traceId: trace('8'), spanId: span('1'), attributes: { deep } }],
  })
  await expect(fromProtobuf(body)).rejects.toThrow('nest more than 100 deep')
})
