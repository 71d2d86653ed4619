import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { runs } from '../../test/support/runs.js'
import { Copies } from '../src/otlp/keeping/copies.js'
import { Origin, ResourceOrigin } from '../src/otlp/keeping/origin.js'
import { asJson } from './support/otlp.js'
import { type Encoded, toProtobuf } from './support/otlp-message.js'
import {
  comparableMembers,
  type KeyValue,
  OWN,
  type StoredStep,
  spanAgain,
} from './support/span-again.js'

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  api = new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api
})
afterAll(() => service?.close())

const send = async (body: string | Uint8Array<ArrayBuffer>) => {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf'
  const response = await service.fetch('http://stepwell.test/v1/traces', {
    method: 'POST',
    headers: { 'content-type': type, 'x-api-key': 'k' },
    body,
  })
  expect(response.status).toBe(200)
  return response
}
const accepted = async (body: string) => expect(await (await send(body)).json()).toEqual({})
const trace = (digit: string) => digit.repeat(32)
const span = (digit: string) => digit.repeat(16)
const idOf = (traceId: string, spanId = span('1')) => `${traceId}-${spanId}`
const stepOf = async (id: string) => {
  const step = await api.getStep(id)
  if (step === null) throw new Error(`${id}: expected a step`)
  return step
}
/** Stores a span with these attributes and returns its step. */
const recorded = async (
  traceId: string,
  attributes: Record<string, unknown>,
  more: Record<string, unknown> = {},
) => {
  await accepted(asJson({ spans: [{ traceId, spanId: span('1'), attributes, ...more }] }))
  return stepOf(idOf(traceId))
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    '\0',
    '{"a":1}',
    '[1]',
    '{"a":1,"a":2}',
    '[12345678901234567890]',
    '{',
    '[ -0 ]',
  ),
)
const INT_64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }
const { value } = fc.letrec<{ value: Encoded; members: KeyValue[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    text.map((stringValue) => ({ stringValue })),
    fc.constant({}),
    fc.boolean().map((boolValue) => ({ boolValue })),
    fc.bigInt(INT_64).map((integer) => ({ intValue: String(integer) })),
    fc.integer().map((integer) => ({ intValue: String(integer) })),
    fc.double().map((double) => ({
      doubleValue:
        Number.isFinite(double) && !Object.is(double, -0)
          ? double
          : Object.is(double, -0)
            ? '-0'
            : String(double),
    })),
    fc
      .uint8Array({ maxLength: 8 })
      .map((bytes) => ({ bytesValue: Buffer.from(bytes).toString('base64') })),
    fc.array(tie('value'), { maxLength: 3 }).map((values) => ({ arrayValue: { values } })),
    tie('members').map((values) => ({ kvlistValue: { values } })),
  ),
  members: fc.array(
    fc.record({
      key: fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 3 }),
        fc.constantFrom('intValue', 'bytesValue', 'kvlistValue', '__proto__'),
      ),
      value: tie('value'),
    }),
    { maxLength: 3 },
  ),
}))

const message = fc.oneof(
  fc.record({
    role: fc.constantFrom('user', 'system'),
    parts: fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text'), content: text }),
        fc.record({ type: fc.constant('reasoning'), content: text }),
      ),
      { maxLength: 2 },
    ),
  }),
  fc.record(
    {
      role: fc.constant('assistant'),
      parts: fc.array(
        fc.record({
          type: fc.constant('tool_call'),
          id: text,
          name: text,
          arguments: fc.oneof(text, fc.dictionary(text, text, { maxKeys: 2 })),
        }),
        { maxLength: 2 },
      ),
      finish_reason: text,
    },
    { requiredKeys: ['role', 'parts'] },
  ),
  fc.record({
    role: fc.constant('tool'),
    parts: fc.array(
      fc.record({ type: fc.constant('tool_call_response'), id: text, response: text }),
      { maxLength: 2 },
    ),
  }),
)
const written = (what: fc.Arbitrary<unknown>) =>
  fc
    .tuple(what, fc.constantFrom(undefined, 1))
    .map(([one, indent]) => ({ stringValue: JSON.stringify(one, null, indent) }))
const named = (key: fc.Arbitrary<string>, of: fc.Arbitrary<unknown>) =>
  fc.record({ key, value: of })
const flat = (beginning: string, infix: string, ofCall: string) =>
  named(
    fc
      .tuple(
        fc.constantFrom('0', '1'),
        fc.constantFrom('role', 'content', 'name', `tool_calls.0.${ofCall}name`, 'odd'),
      )
      .map(([index, member]) => `${beginning}.${index}.${infix}${member}`),
    text.map((stringValue) => ({ stringValue })),
  )
const attribute = fc.oneof(
  named(fc.string({ unit: 'grapheme', maxLength: 5 }), value),
  named(fc.constantFrom(...OWN, 'release', 'service.name', 'service.version', '__proto__'), value),
  named(
    fc.constantFrom(
      'input.value',
      'input.mime_type',
      'output.value',
      'gen_ai.tool.call.arguments',
      'gen_ai.tool.definitions',
      'gen_ai.system_instructions',
      'gen_ai.input.messages',
      'gen_ai.tool.name',
      'gen_ai.retrieval.documents',
      'gen_ai.prompt',
      'ai.prompt.messages',
      'ai.toolCall.args',
      'ai.response.text',
      'ai.response.toolCalls',
      'langfuse.observation.output',
      'llm.tools.0.tool.json_schema',
      'tag.tags',
    ),
    fc.oneof(value, written(fc.array(fc.dictionary(text, text, { maxKeys: 2 }), { maxLength: 2 }))),
  ),
  named(
    fc.constantFrom('gen_ai.input.messages', 'gen_ai.output.messages'),
    written(fc.array(message, { maxLength: 2 })),
  ),
  named(
    fc.constant('gen_ai.system_instructions'),
    written(fc.array(fc.record({ type: fc.constant('text'), content: text }), { maxLength: 2 })),
  ),
  flat('llm.input_messages', 'message.', 'tool_call.function.'),
  flat('llm.output_messages', 'message.', 'tool_call.function.'),
  flat('gen_ai.prompt', '', ''),
  flat('gen_ai.completion', '', ''),
  named(
    fc.constant('gen_ai.operation.name'),
    fc.constantFrom('chat', 'execute_tool', 'x').map((stringValue) => ({ stringValue })),
  ),
)
const attributes = fc.array(attribute, { maxLength: 6 })
const hex = (digits: number) =>
  fc.stringMatching(new RegExp(`^[0-9a-f]{${digits}}$`)).filter((id) => !/^0+$/.test(id))
const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
const moment = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(String)
const resourceSpans = fc.record({
  resource: fc.record({ attributes, droppedAttributesCount: count }),
  schemaUrl: text,
  scopeSpans: fc.tuple(
    fc.record({
      schemaUrl: text,
      scope: fc.record({ name: text, version: text, attributes, droppedAttributesCount: count }),
      spans: fc.tuple(
        fc.record({
          traceId: hex(32),
          spanId: hex(16),
          parentSpanId: fc.oneof(fc.constant(''), hex(16)),
          traceState: text,
          name: text,
          kind: fc.integer({ min: 0, max: 7 }),
          startTimeUnixNano: moment,
          endTimeUnixNano: moment,
          attributes,
          droppedAttributesCount: count,
          events: fc.array(
            fc.record({
              timeUnixNano: moment,
              name: text,
              attributes,
              droppedAttributesCount: count,
            }),
            { maxLength: 2 },
          ),
          droppedEventsCount: count,
          links: fc.array(
            fc.record({
              traceId: hex(32),
              spanId: hex(16),
              traceState: text,
              attributes,
              droppedAttributesCount: count,
              flags: count,
            }),
            { maxLength: 2 },
          ),
          droppedLinksCount: count,
          status: fc.record({ code: fc.constantFrom(0, 1, 2), message: text }),
          flags: count,
        }),
      ),
    }),
  ),
})
type Sent = typeof resourceSpans extends fc.Arbitrary<infer Of> ? Of : never

/** Returns what was sent, in the form of `spanAgain`; attributes that are in fields as their structure. */
const comparableSpan = (sent: Sent, fields: Readonly<Record<string, unknown>>) => {
  const [{ scope, schemaUrl, spans }] = sent.scopeSpans
  const [given] = spans
  const { startTimeUnixNano, endTimeUnixNano, ...span } = given
  const members = (of: readonly KeyValue[] | readonly unknown[]) =>
    comparableMembers(of as KeyValue[])
  const last = new Map((given.attributes as KeyValue[]).map((one) => [one.key, one]))
  const isInField = (one: KeyValue) => Object.hasOwn(fields, one.key) && last.get(one.key) === one
  const inFields = (given.attributes as KeyValue[]).filter(isInField)
  const structured = inFields.map((one) => {
    const [said] = members([one])
    const content = (one.value as { stringValue?: string }).stringValue ?? ''
    try {
      const json: unknown = JSON.parse(content)
      if (typeof json === 'object') return [one.key, { json }] as const
    } catch {
      // A text like any other.
    }
    return said
  })
  return {
    ...span,
    start: BigInt(startTimeUnixNano),
    end: BigInt(endTimeUnixNano),
    attributes: [
      ...members((given.attributes as KeyValue[]).filter((one) => !isInField(one))),
      ...structured,
    ],
    events: given.events.map(({ timeUnixNano, attributes, ...event }) => ({
      ...event,
      time: BigInt(timeUnixNano),
      attributes: members(attributes),
    })),
    links: given.links.map((link) => ({ ...link, attributes: members(link.attributes) })),
    resource: {
      attributes: members(sent.resource.attributes),
      droppedAttributesCount: sent.resource.droppedAttributesCount,
      schemaUrl: sent.schemaUrl,
    },
    scope: { ...scope, attributes: members(scope.attributes), schemaUrl },
  }
}

const inOrder = <Of extends { attributes: readonly unknown[] }>(span: Of): Of => ({
  ...span,
  attributes: span.attributes.map((one) => JSON.stringify(byName(one))).sort(),
})
const byName = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(byName)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  return members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, byName(one)])
}

let trials = 0
test.each([
  ['JSON', (request: Encoded) => JSON.stringify(request)],
  ['protobuf', toProtobuf],
] as const)('any span that comes as %s can be rebuilt from its stored step', async (_, encode) => {
  await fc.assert(
    fc.asyncProperty(resourceSpans, async (sent) => {
      const [{ spans }] = sent.scopeSpans
      const [only] = spans
      // A span of its own for each trial, as one that came before would be merged with it.
      trials += 1
      only.traceId = trials.toString(16).padStart(32, 'a')
      const { traceId, spanId } = only
      await send(encode({ resourceSpans: [sent] }))
      const step = await stepOf(idOf(traceId, spanId))
      const { 'otel.fields': fields = {} } = step.metadata as Record<string, object>
      expect(inOrder(spanAgain(step as StoredStep))).toEqual(
        inOrder(comparableSpan(sent, fields as Record<string, unknown>)),
      )
    }),
    { numRuns: runs(150) },
  )
})

test('attributes that a field holds only in part stay in the metadata beside it', async () => {
  const twoTexts = JSON.stringify([
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'Where is it?' },
        { type: 'text', content: 'Quick!' },
      ],
    },
  ])
  const answers = JSON.stringify([
    { role: 'assistant', parts: [{ type: 'text', content: 'There.' }], finish_reason: 'stop' },
    { role: 'assistant', parts: [{ type: 'text', content: 'Here.' }], finish_reason: 'stop' },
  ])
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': twoTexts,
    'gen_ai.output.messages': answers,
    'gen_ai.tool.definitions': '[{"name":',
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': 'Where is it?',
    'gen_ai.usage.cache_read.input_tokens': 12,
    'input.value': '{"order":1042,"order":1043}',
    'input.mime_type': 'application/json',
    'traceloop.entity.input': 'the same, told otherwise',
  }
  const { metadata, generation, input } = await recorded(trace('a'), attributes)
  expect(metadata).toEqual(attributes)
  expect(generation).toMatchObject({
    messages: [{ role: 'user', content: 'Where is it?\nQuick!' }],
    messageCompletion: { content: 'There.', finish_reason: 'stop' },
  })
  expect(input).toEqual({ order: 1043 })
})

test('attributes that fields hold in whole are named in the metadata, and not repeated', async () => {
  const { metadata } = await recorded(trace('b'), {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system_instructions': '[{"type": "text", "content": "Be kind."}]',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hello"}]}]',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': 'Hi',
    'gen_ai.completion.0.finish_reason': 'stop',
    'input.value': '{ "order": 1042 }',
  })
  expect(metadata).toEqual({
    'gen_ai.operation.name': 'chat',
    'otel.fields': {
      'gen_ai.system_instructions': 'generation.messages',
      'gen_ai.input.messages': 'generation.messages',
      'gen_ai.completion': 'generation.messageCompletion',
      'input.value': 'input',
    },
  })
})

test('spans around model calls have messages as input and output', async () => {
  const asked = [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }]
  const { type, input, output } = await recorded(trace('c'), {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.input.messages': JSON.stringify(asked),
    'gen_ai.output.messages': 'none',
  })
  expect({ type, input, output }).toEqual({
    type: 'run',
    input: { content: asked },
    output: { content: 'none' },
  })
})

test('metadata beyond the limit leaves the largest out, names it, and loses no step', async () => {
  const { metadata } = await recorded(trace('d'), { large: 'x'.repeat(1_100_000), small: 'y' })
  expect(metadata).toEqual({ small: 'y', 'otel.omitted': ['large'] })
})

test('what is left out is counted where there is no room for its names', async () => {
  const attributes = Object.fromEntries(
    Array.from({ length: 8000 }, (_, at) => [`${'n'.repeat(200)}${at}`, 'v']),
  )
  const { metadata } = await recorded(trace('f'), attributes)
  const {
    'otel.omitted': names,
    'otel.omitted_count': count,
    ...kept
  } = metadata as {
    'otel.omitted': string[]
    'otel.omitted_count': number
  }
  expect(names.length).toBeLessThan(count)
  expect(Object.keys(kept).length + count).toBe(8000)
})

test('times that come as numbers, whose last digits JSON does not keep, are kept to the microsecond', async () => {
  const [traceId, spanId] = [trace('9'), span('9')]
  const times = '"startTimeUnixNano":1763719200123456789,"endTimeUnixNano":1763719201000000000'
  const spans = `[{"traceId":"${traceId}","spanId":"${spanId}","name":"n",${times}}]`
  await accepted(`{"resourceSpans":[{"scopeSpans":[{"spans":${spans}}]}]}`)
  const { startTime, endTime } = await stepOf(idOf(traceId, spanId))
  expect(startTime).toMatch(/^2025-11-21T10:00:00\.123/)
  expect(endTime).toMatch(/^2025-11-21T10:00:01/)
})

test('steps repeat a resource up to a limit, beyond which they name what is left out', () => {
  const spans = Array.from({ length: 50 }, (_, index) => ({
    traceId: trace('e'),
    spanId: String(index + 1).padStart(16, '0'),
  }))
  const large = { 'service.name': 'shop', large: 'x'.repeat(900_000) }
  const copies = new Copies(10_000_000)
  const origin = new Origin(
    new ResourceOrigin({
      resource: { attributes: new Map(Object.entries(large)), droppedAttributesCount: 0 },
      schemaUrl: '',
    }),
    { scope: undefined, schemaUrl: '' },
  )
  const copied = spans.map(() => copies.of({ origin }))
  expect(copied.filter(({ rest }) => rest)).toHaveLength(11)
  expect(copied.every(({ named }) => named)).toBe(true)
})

test('the user of a span becomes the participant of its thread', async () => {
  await recorded(trace('1'), { 'user.id': 'ada', 'session.id': 'with Ada' })
  const thread = await api.getThread('with Ada')
  const user = await api.getUser('ada')
  expect(user).toBeDefined()
  expect(thread?.participant?.id).toBe(user?.id)
  await recorded(trace('2'), { 'enduser.id': 'ada' }, { name: 'alone' })
  expect(await api.getThread(trace('2'))).toMatchObject({
    name: 'alone',
    participant: { id: user?.id },
  })
})

test('tags of OpenInference and Langfuse become tags', async () => {
  const step = await recorded(trace('3'), {
    'tag.tags': ['a', 'b'],
    'langfuse.trace.tags': '["b","c"]',
  })
  expect(step.tags).toEqual(['a', 'b', 'c'])
})

test('a conversation that only a later request names takes in the earlier and later spans', async () => {
  const traceId = trace('4')
  const child = (digit: string, attributes = {}) =>
    asJson({
      spans: [{ traceId, spanId: span(digit), parentSpanId: span('1'), name: digit, attributes }],
    })
  await accepted(child('2', { 'user.id': 'ben' }))
  expect((await api.getThread(traceId))?.steps).toHaveLength(1)
  await recorded(traceId, { 'gen_ai.conversation.id': 'late' })
  expect((await api.getThread('late'))?.steps).toHaveLength(2)
  expect(await api.getThread(traceId)).toBeNull()
  // Once more after a lost answer, and another one.
  await accepted(child('2'))
  await accepted(child('3'))
  const thread = await api.getThread('late')
  expect(thread?.steps).toHaveLength(3)
  expect(thread?.participant?.id).toBe((await api.getUser('ben'))?.id)
  expect(await api.getThread(traceId)).toBeNull()
})

test('a trace that moves leaves what others put into its thread', async () => {
  const traceId = trace('5')
  await recorded(traceId, {})
  await api.sendSteps([{ id: 'own', threadId: traceId, type: 'run', name: 'own' }])
  await accepted(
    asJson({ spans: [{ traceId, spanId: span('2'), attributes: { 'session.id': 'moved' } }] }),
  )
  expect((await api.getThread('moved'))?.steps).toHaveLength(2)
  expect((await api.getThread(traceId))?.steps).toMatchObject([{ id: 'own' }])
})
