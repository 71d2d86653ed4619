import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { context, type SpanKind, type SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  type ReadableSpan,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'
import { StepwellSpanProcessor } from '../src/otlp/index.js'
import { eventually } from '../test/support/eventually.js'

let service: Service
let listening: Listening
let ours: string
let theirs: string
beforeAll(async () => {
  service = await createService({ apiKey: 'processor' })
  listening = await listen(service, '127.0.0.1', 0)
  ours = (await service.createProject('by the processor')).apiKey
  theirs = (await service.createProject('by the exporter')).apiKey
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
})

type Options = ConstructorParameters<typeof StepwellSpanProcessor>[0]
const processorOf = (options: Options = {}): StepwellSpanProcessor =>
  new StepwellSpanProcessor({
    apiKey: ours,
    apiUrl: listening.url,
    flushAtExit: false,
    ...options,
  })
const apiOf = (apiKey: string) => new StepwellClient({ apiKey, apiUrl: listening.url }).api
const providerOf = (...spanProcessors: SpanProcessor[]) =>
  new BasicTracerProvider({
    spanProcessors,
    resource: resourceFromAttributes({ 'service.name': 'shop', 'service.version': '3' }),
  })
const stepsOf = async (apiKey: string, ids: readonly string[]) => {
  const api = apiOf(apiKey)
  return Promise.all(ids.map(async (id) => ({ ...(await api.getStep(id)), createdAt: undefined })))
}

const LINKED = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  traceFlags: TraceFlags.SAMPLED,
}

const attribute = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(fc.oneof(fc.string(), fc.constant(null)), { maxLength: 3 }),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.array(fc.boolean(), { maxLength: 3 }),
)
const attributes = fc.dictionary(fc.string({ minLength: 1 }), attribute, { maxKeys: 4 })
const spans = fc.array(
  fc.record({
    name: fc.string(),
    kind: fc.constantFrom<SpanKind>(0, 1, 2, 3, 4),
    attributes,
    events: fc.array(fc.record({ name: fc.string(), attributes }), { maxLength: 2 }),
    links: fc.array(attributes, { maxLength: 2 }),
    status: fc.record({ code: fc.constantFrom<SpanStatusCode>(0, 1, 2), message: fc.string() }),
    isChild: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

test('a span is stored as by OpenTelemetry’s own exporter, whatever it carries', async () => {
  const ended: ReadableSpan[] = []
  const provider = providerOf({
    onStart: () => {},
    onEnd: (span) => ended.push(span),
    forceFlush: async () => {},
    shutdown: async () => {},
  })
  const tracer = provider.getTracer('lab', '1.2')
  const processor = processorOf()
  const exporter = new OTLPTraceExporter({
    url: `${listening.url}/v1/traces`,
    headers: { 'x-api-key': theirs },
  })
  await fc.assert(
    fc.asyncProperty(spans, async (given) => {
      ended.length = 0
      let around = context.active()
      for (const { name, kind, attributes: own, links, events, status, isChild } of given) {
        const options = {
          kind,
          attributes: own,
          links: links.map((linked) => ({ context: LINKED, attributes: linked })),
        }
        const span = tracer.startSpan(name, options, around)
        for (const event of events) span.addEvent(event.name, event.attributes)
        span.setStatus(status)
        if (isChild) around = trace.setSpan(around, span)
        span.end()
      }
      for (const span of ended) processor.onEnd(span)
      await processor.forceFlush()
      await new Promise((resolve) => exporter.export(ended, resolve))
      const ids = ended.map((span) => {
        const { traceId, spanId } = span.spanContext()
        return `${traceId}-${spanId}`
      })
      expect(await stepsOf(ours, ids)).toEqual(await stepsOf(theirs, ids))
    }),
    { numRuns: 60 },
  )
  const { recorded, delivered } = processor.stats()
  expect(recorded).toBeGreaterThanOrEqual(60)
  expect(delivered).toBe(recorded)
})

test('beside another processor, each gets every span; a filter is for this one alone', async () => {
  const ended: string[] = []
  const other: SpanProcessor = {
    onStart: () => {},
    onEnd: ({ name }) => ended.push(name),
    forceFlush: async () => {},
    shutdown: async () => {},
  }
  const processor = processorOf({
    filter: ({ attributes }) => attributes['db.system'] === undefined,
  })
  const provider = providerOf(processor, other)
  const tracer = provider.getTracer('app')
  const chat = tracer.startSpan('chat gpt-4o', {
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'gpt-4o' },
  })
  tracer.startSpan('SELECT', { attributes: { 'db.system': 'postgresql' } }).end()
  chat.end()
  await provider.shutdown()
  expect(ended).toEqual(['SELECT', 'chat gpt-4o'])
  expect(processor.stats()).toMatchObject({ recorded: 1, delivered: 1, pending: 0 })
  const { traceId, spanId } = chat.spanContext()
  const step = await apiOf(ours).getStep(`${traceId}-${spanId}`)
  expect(step).toMatchObject({ type: 'llm', generation: { model: 'gpt-4o' } })
})

test('spans that a sampler left out are not recorded', async () => {
  const processor = processorOf()
  const provider = new BasicTracerProvider({
    sampler: new TraceIdRatioBasedSampler(0),
    spanProcessors: [processor],
  })
  provider.getTracer('app').startSpan('left out').end()
  await provider.shutdown()
  expect(processor.stats().recorded).toBe(0)
})

test('attributes that a resource finds out late are there', async () => {
  const processor = processorOf({ environment: 'staging' })
  const provider = new BasicTracerProvider({
    spanProcessors: [processor],
    resource: detectResources({
      detectors: [
        {
          detect: () => ({
            attributes: {
              'host.name': new Promise<string>((resolve) => setTimeout(resolve, 50, 'one')),
            },
          }),
        },
      ],
    }),
  })
  const span = provider.getTracer('app').startSpan('early')
  span.end()
  await processor.forceFlush()
  const { traceId, spanId } = span.spanContext()
  const step = await apiOf(ours).getStep(`${traceId}-${spanId}`)
  expect(step).toMatchObject({
    environment: 'staging',
    metadata: { 'otel.resource': { 'host.name': 'one' } },
  })
})

test('a service that is away loses nothing: spans wait, and are delivered when it is back', async () => {
  let isAway = true
  const processor = processorOf({
    onReport: () => {},
    fetch: (url, init) =>
      isAway ? Promise.reject(new Error('away')) : globalThis.fetch(url, init as RequestInit),
  })
  const provider = providerOf(processor)
  const ids: string[] = []
  for (let number = 0; number < 50; number++) {
    const span = provider.getTracer('app').startSpan(`span ${number}`)
    const { traceId, spanId } = span.spanContext()
    ids.push(`${traceId}-${spanId}`)
    span.end()
  }
  await eventually(() => expect(processor.stats().lastProblem).toContain('away'))
  expect(processor.stats()).toMatchObject({ recorded: 50, delivered: 0, pending: 50 })
  isAway = false
  await processor.forceFlush()
  expect(processor.stats()).toMatchObject({ delivered: 50, pending: 0, dropped: 0 })
  const stored = await stepsOf(ours, ids)
  expect(stored.map(({ name }) => name)).toEqual(ids.map((_, number) => `span ${number}`))
})

test('a page of somebody else is no answer: spans wait, and the reason is named', async () => {
  const processor = processorOf({
    onReport: () => {},
    fetch: async () => new Response('<html>Sign in</html>', { status: 200 }),
  })
  const provider = providerOf(processor)
  provider.getTracer('app').startSpan('one').end()
  await eventually(() => expect(processor.stats().lastProblem).toContain('not from a Stepwell'))
  expect(processor.stats()).toMatchObject({ recorded: 1, delivered: 0, pending: 1 })
})

test('spans that the service rejects are counted as dropped, each by its own name, and no other', async () => {
  const processor = processorOf({ onReport: () => {} })
  const provider = providerOf(processor)
  const ids: string[] = []
  for (let number = 0; number < 20; number++) {
    const span = provider.getTracer('app').startSpan(`span ${number}`)
    const { traceId, spanId } = span.spanContext()
    if (number % 7 === 3) Object.assign(span.spanContext(), { traceId: `trace-${number}` })
    else ids.push(`${traceId}-${spanId}`)
    span.end()
  }
  await processor.forceFlush()
  expect(processor.stats()).toMatchObject({ delivered: 17, dropped: 3, pending: 0 })
  const dropped = processor.stats().setAside.map(({ id }) => id.slice(0, id.lastIndexOf('-')))
  expect(dropped.sort()).toEqual(['trace-10', 'trace-17', 'trace-3'])
  expect((await stepsOf(ours, ids)).map(({ name }) => name)).not.toContain(undefined)
})

test('values that JSON has no form for cost nothing but themselves', async () => {
  const processor = processorOf()
  const provider = providerOf(processor)
  const span = provider.getTracer('app').startSpan('odd')
  const circle: Record<string, unknown> = {}
  circle.self = circle
  const odd = {
    nan: Number.NaN,
    list: [1, Number.POSITIVE_INFINITY],
    big: 7n,
    circle,
    plain: 'yes',
  }
  Object.assign((span as unknown as ReadableSpan).attributes, odd)
  Object.defineProperty((span as unknown as ReadableSpan).attributes, 'broken', {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
  span.end()
  await processor.forceFlush()
  const { traceId, spanId } = span.spanContext()
  const step = await apiOf(ours).getStep(`${traceId}-${spanId}`)
  expect(step?.metadata).toMatchObject({
    nan: { doubleValue: 'NaN' },
    list: [1, { doubleValue: 'Infinity' }],
    plain: 'yes',
  })
  expect(JSON.stringify(step?.metadata)).toContain('unreadable')
})

test('without a key nothing is recorded, and it is said once; a wrong option is named', async () => {
  const said: string[] = []
  const processor = processorOf({ apiKey: '', onReport: (message) => said.push(message) })
  const provider = providerOf(processor)
  provider.getTracer('app').startSpan('one').end()
  await provider.shutdown()
  expect(processor.stats().recorded).toBe(0)
  expect(said).toEqual([expect.stringContaining('STEPWELL_API_KEY')])
  expect(() => processorOf({ filter: 'llm' as never })).toThrow('filter: expected a function')
})

test('a span that can’t be read is counted as dropped, and fails nothing', async () => {
  const said: string[] = []
  const processor = processorOf({ onReport: (message) => said.push(message) })
  processor.onEnd({
    spanContext: () => {
      throw new Error('broken')
    },
  } as never)
  expect(processor.stats()).toMatchObject({ recorded: 1, dropped: 1 })
  expect(said.join()).toContain('broken')
})

test.each(['process.exit(3)', "process.kill(process.pid, 'SIGTERM')", "throw new Error('no')"])(
  'a process that ends by %s has its spans delivered',
  async (end) => {
    const name = `the last of ${end}`
    const program = `
      import { StepwellSpanProcessor } from '../dist/esm/src/otlp/index.js'
      import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
      const processor = new StepwellSpanProcessor({ apiKey: '${ours}', apiUrl: '${listening.url}' })
      const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('app')
      const span = tracer.startSpan(${JSON.stringify(name)})
      span.end()
      console.log(JSON.stringify(span.spanContext()))
      ${end}
    `
    const { stdout } = (await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { cwd: import.meta.dirname },
    ).catch((error: unknown) => error)) as { stdout: string }
    const { traceId, spanId } = JSON.parse(stdout) as { traceId: string; spanId: string }
    expect(await apiOf(ours).getStep(`${traceId}-${spanId}`)).toMatchObject({ name })
  },
)

test('the program of the docs runs unchanged', async () => {
  const page = readFileSync(
    join(import.meta.dirname, '../docs/integrations/opentelemetry.md'),
    'utf8',
  )
  const program = /^```ts no-run\n(import [\s\S]*?)^```/m.exec(page)?.[1] ?? ''
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    {
      cwd: import.meta.dirname,
      env: { ...process.env, STEPWELL_API_KEY: ours, STEPWELL_API_URL: listening.url },
    },
  )
  expect(stdout).toBe('1 delivered\n')
})
