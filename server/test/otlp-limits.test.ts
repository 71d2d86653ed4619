import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { Budget } from '../src/otlp/encoding/budget.js'
import { readJson } from '../src/otlp/encoding/json.js'
import { TRACES } from '../src/otlp/encoding/schema.js'
import { asJson, asProtobuf } from './support/otlp.js'

let service: Service
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  api = new StepwellClient({ apiKey: 'k', fetch: service.fetch }).api
})
afterAll(() => service?.close())

const send = (body: string | Uint8Array<ArrayBuffer>) =>
  service.fetch('http://stepwell.test/v1/traces', {
    method: 'POST',
    headers: {
      'content-type': typeof body === 'string' ? 'application/json' : 'application/x-protobuf',
      'x-api-key': 'k',
    },
    body,
  })
const trace = (digit: string) => digit.repeat(32)
const span = (digit: string) => digit.repeat(16)
const metadataOf = async (traceId: string, spanId: string) =>
  (await api.getStep(`${traceId}-${spanId}`))?.metadata as Record<string, unknown>

describe.each([
  ['JSON', asJson, 'a'],
  ['protobuf', asProtobuf, 'b'],
] as const)('a span with 60,000 attributes that comes as %s', (_, encode, digit) => {
  test('is stored without those beyond what a span may have, and loses no other', async () => {
    const traceId = trace(digit)
    const attributes = Object.fromEntries(
      Array.from({ length: 60_000 }, (__, at) => [`attribute.${at}`, at]),
    )
    const response = await send(
      encode({
        spans: [
          { traceId, spanId: span('1'), attributes: { before: 1 } },
          {
            traceId,
            spanId: span('2'),
            attributes,
            events: [{ name: 'late' }],
            status: { code: 2, message: 'failed after all' },
          },
          { traceId, spanId: span('3'), attributes: { after: 1 } },
        ],
      }),
    )
    expect(response.status).toBe(200)
    if (encode === asJson) {
      const { partialSuccess } = await response.json()
      expect(partialSuccess.rejectedSpans).toBe('0')
      expect(partialSuccess.errorMessage).toContain('otel.withheld')
    }
    expect(await metadataOf(traceId, span('1'))).toMatchObject({ before: 1 })
    expect(await metadataOf(traceId, span('3'))).toMatchObject({ after: 1 })
    const cut = await metadataOf(traceId, span('2'))
    const kept = Object.keys(cut).filter((name) => name.startsWith('attribute.'))
    const omitted = (cut['otel.omitted_count'] as number | undefined) ?? 0
    // The event was not read, and the status is among those left out.
    expect(kept.length + omitted + (cut['otel.withheld'] as number)).toBe(60_002)
    expect(kept.length).toBeGreaterThan(10_000)
    expect((await api.getStep(`${traceId}-${span('2')}`))?.error).toBe('failed after all')
  })
})

test('names and users that are too long cost no step, and are not counted as rejected spans', async () => {
  const traceId = trace('c')
  const name = 'n'.repeat(1_100_000)
  const response = await send(
    asJson({ spans: [{ traceId, spanId: span('1'), name, attributes: { 'user.id': name } }] }),
  )
  const { partialSuccess } = await response.json()
  expect(partialSuccess).toEqual({
    rejectedSpans: '0',
    errorMessage: expect.stringContaining('user: expected at most'),
  })
  const step = await api.getStep(`${traceId}-${span('1')}`)
  expect(step?.name).toBe('n'.repeat(1000))
  expect(step?.metadata).toMatchObject({ 'otel.omitted': ['otel.name', 'user.id'] })
  expect((await api.getThread(traceId))?.name).toBe('n'.repeat(1000))
})

test('a longer name than that of a step is in its metadata in whole', async () => {
  const traceId = trace('d')
  const name = '𠀀'.repeat(800)
  expect(
    await (await send(asJson({ spans: [{ traceId, spanId: span('1'), name }] }))).json(),
  ).toEqual({})
  expect(await metadataOf(traceId, span('1'))).toEqual({ 'otel.name': name })
})

test('a step whose input or messages are too large is stored without them, and says so', async () => {
  const traceId = trace('e')
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'input.value': JSON.stringify({ text: 'x'.repeat(3_100_000) }),
    'gen_ai.tool.definitions': JSON.stringify([{ name: 'y'.repeat(3_100_000) }]),
    'gen_ai.request.model': 'm',
  }
  const response = await send(
    asJson({
      spans: [
        { traceId, spanId: span('1'), attributes },
        { traceId, spanId: span('2') },
      ],
    }),
  )
  expect(await response.json()).toEqual({})
  const step = await api.getStep(`${traceId}-${span('1')}`)
  expect(step).toMatchObject({ input: null, generation: { model: 'm', tools: null } })
  expect((step?.metadata as Record<string, unknown>)['otel.omitted']).toEqual([
    'input',
    'input.value',
    'generation.tools',
    'gen_ai.tool.definitions',
  ])
  expect(await api.getStep(`${traceId}-${span('2')}`)).not.toBeNull()
})

test.each([
  [{ boolValue: 'true' }, true],
  [{ boolValue: 'yes' }, 'yes'],
  [{ boolValue: 1 }, 1],
  [{ stringValue: 5 }, 5],
  [{ stringValue: { a: 1 } }, '{"a":1}'],
  [{ intValue: true }, true],
  [{ doubleValue: [1] }, '[1]'],
])('a value of another type than it says, %j, is kept', async (value, read) => {
  const request = {
    resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: [{ key: 'a', value }] }] }] }],
  }
  const { resourceSpans } = await readJson(request, new Budget(0), () => undefined, TRACES)
  expect(resourceSpans[0]?.scopeSpans[0]?.spans[0]?.attributes.get('a')).toEqual(read)
})
