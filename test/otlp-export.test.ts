import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { otlp, StepwellSpanProcessor } from '../src/otlp/index.js'
import { Tracer, type TracerOptions } from '../src/tracing/index.js'
import { useCollector, valuesOf } from './support/collector.js'
import { eventually } from './support/eventually.js'
import { useSink } from './support/sink.js'

const sink = useSink()
const collector = useCollector()

const newTracer = (options: Partial<TracerOptions> = {}, of: Parameters<typeof otlp>[0] = {}) => {
  const reports: string[] = []
  const tracer = new Tracer({
    apiKey: 'k',
    apiUrl: sink.url,
    flushAtExit: false,
    onReport: (message) => reports.push(message),
    exporters: [otlp({ url: collector.url, name: 'collector', ...of })],
    ...options,
  })
  return { tracer, reports }
}

const spanOf = (name: string) => {
  const span = collector.spans.find((one) => one.name === name)
  if (span === undefined) throw new Error(`there is no span ${name}`)
  return span
}
const attributesOf = (name: string) => valuesOf(spanOf(name).attributes)

test('steps go to the service and, as spans of one trace, to the collector', async () => {
  const { tracer } = newTracer({ release: '1.2.3' }, { serviceName: 'shop', headers: { key: 'x' } })
  await tracer.run({ name: 'agent', input: { question: 'Where?' } }).wrap(async () => {
    await tracer.step({ name: 'search', type: 'tool', input: { order: 1 } }).wrap(async () => ['a'])
  })
  await tracer.flush()
  expect(sink.taken.map(({ name }) => name)).toEqual(['search', 'agent'])
  const [agent, search] = [spanOf('agent'), spanOf('search')]
  expect(search).toMatchObject({ traceId: agent.traceId, parentSpanId: agent.spanId })
  expect(agent.parentSpanId).toBeUndefined()
  expect(collector.requests[0]?.headers.key).toBe('x')
  expect(collector.requests[0]?.resource).toEqual({
    'service.name': 'shop',
    'service.version': '1.2.3',
  })
  expect(attributesOf('search')).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'search',
    'gen_ai.tool.call.arguments': '{"order":1}',
    'gen_ai.tool.call.result': '{"output":["a"]}',
  })
  expect(attributesOf('agent')).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'input.value': '{"question":"Where?"}',
  })
})

test('ids are those of the headers that a called service gets', async () => {
  const { tracer } = newTracer()
  let headers: Record<string, string> = {}
  await tracer.step({ name: 'first', type: 'tool' }).wrap(async () => {
    await tracer.run({ name: 'inner' }).wrap(async () => {
      headers = tracer.traceHeaders()
    })
  })
  await tracer.flush()
  const { traceId, spanId } = spanOf('inner')
  expect(headers.traceparent).toBe(`00-${traceId}-${spanId}-01`)
  expect(spanOf('first').traceId).toBe(traceId)
})

test('a model call has its messages, tokens and settings by the names of the conventions', async () => {
  const { tracer } = newTracer()
  const call = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } }
  tracer
    .step({
      name: 'ask',
      type: 'llm',
      generation: {
        type: 'CHAT',
        provider: 'openai',
        model: 'gpt-5',
        settings: { temperature: 0.5, stop: ['END'] },
        messages: [
          { role: 'system', content: 'Be kind.' },
          {
            role: 'user',
            content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
          },
          { role: 'tool', tool_call_id: 'c0', content: 'found' },
        ],
        messageCompletion: { role: 'assistant', content: null, tool_calls: [call] },
        inputTokenCount: 12,
        outputTokenCount: 3,
        ttFirstToken: 250,
      },
      scores: [{ name: 'good', type: 'AI', value: 0.75 }],
    })
    .end()
  await tracer.flush()
  const attributes = attributesOf('ask')
  expect(attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.usage.input_tokens': '12',
    'gen_ai.usage.output_tokens': '3',
    'gen_ai.response.time_to_first_chunk': 0.25,
  })
  expect(JSON.parse(String(attributes['gen_ai.input.messages']))).toEqual([
    { role: 'system', parts: [{ type: 'text', content: 'Be kind.' }] },
    {
      role: 'user',
      parts: [{ type: 'blob', modality: 'image', mime_type: 'image/png', content: 'AA==' }],
    },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c0', response: 'found' }] },
  ])
  expect(JSON.parse(String(attributes['gen_ai.output.messages']))).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c1', name: 'find', arguments: { a: 1 } }],
    },
  ])
  expect(spanOf('ask').events.map(({ name, attributes: of }) => [name, valuesOf(of)])).toEqual([
    [
      'gen_ai.evaluation.result',
      { 'gen_ai.evaluation.name': 'good', 'gen_ai.evaluation.score.value': 0.75 },
    ],
  ])
})

test('a failed step is a failed span, with its moments to the microsecond', async () => {
  const { tracer } = newTracer()
  const startTime = '2026-03-04T05:06:07.123456Z'
  tracer
    .step({ name: 'fails', startTime, endTime: '2026-03-04T06:06:08+01:00', error: 'out of stock' })
    .end()
  await tracer.flush()
  const { startTimeUnixNano, endTimeUnixNano, status } = spanOf('fails')
  const second = Date.parse('2026-03-04T05:06:07Z') / 1000
  expect([startTimeUnixNano, endTimeUnixNano]).toEqual([
    `${second}123456000`,
    `${second + 1}000000000`,
  ])
  expect(status).toEqual({ code: 2, message: 'out of stock' })
})

test('the participant of a thread is the user of its spans', async () => {
  const { tracer } = newTracer()
  await tracer
    .thread({ id: 't', participantId: 'ada' })
    .wrap(() => tracer.trace('in thread', () => 1))
  await tracer.flush()
  expect(attributesOf('in thread')).toMatchObject({
    'gen_ai.conversation.id': 't',
    'user.id': 'ada',
  })
})

test('without content, spans have no text of the application', async () => {
  const { tracer } = newTracer({}, { content: false })
  const secret = 'SECRET'
  tracer
    .step({
      name: 'quiet',
      type: 'llm',
      input: { secret },
      output: { secret },
      metadata: { secret },
      error: secret,
      generation: {
        type: 'CHAT',
        model: 'gpt-5',
        settings: { temperature: 0.5, instructions: secret, stop: [secret] },
        messages: [{ role: 'user', content: secret }],
        tools: [{ name: secret }],
        inputTokenCount: 12,
        outputTokenCount: 3,
      },
      scores: [{ name: 'good', type: 'AI', value: 1, comment: secret }],
    })
    .end()
  await tracer.flush()
  expect(spanOf('quiet').status).toEqual({ code: 2 })
  expect(JSON.stringify(collector.requests)).not.toContain(secret)
  expect(attributesOf('quiet')).toMatchObject({
    'gen_ai.request.model': 'gpt-5',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.usage.input_tokens': '12',
    'gen_ai.usage.output_tokens': '3',
  })
})

test('a collector that is away delays neither the service nor send, and gets everything later', async () => {
  collector.answer = () => ({ status: 503, headers: { 'retry-after': '0' } })
  const { tracer, reports } = newTracer()
  await tracer.step({ id: 's1', name: 'n' }).send()
  expect(sink.taken.map(({ id }) => id)).toEqual(['s1'])
  await eventually(() => expect(tracer.stats().exports?.[0]?.lastProblem).toBe('status 503'))
  expect(tracer.stats()).toMatchObject({
    delivered: 1,
    pending: 0,
    exports: [{ name: 'collector', recorded: 1, delivered: 0, pending: 1 }],
  })
  expect(reports.join()).toContain('collector: ')
  collector.answer = () => ({ status: 200 })
  await tracer.flush()
  expect(collector.spans).toHaveLength(1)
  expect(tracer.stats().exports).toMatchObject([
    { delivered: 1, pending: 0, lastProblem: undefined },
  ])
})

test('a span that the collector does not accept is dropped alone, and counted', async () => {
  collector.answer = (spans) =>
    spans.some(({ name }) => name === 'bad')
      ? { status: 400, body: '{"message":"no bad spans"}' }
      : { status: 200 }
  const { tracer } = newTracer()
  for (const name of ['one', 'bad', 'two']) tracer.trace(name, () => 1)
  await tracer.flush()
  expect(collector.spans.map(({ name }) => name).sort()).toEqual(['one', 'two'])
  expect(tracer.stats()).toMatchObject({
    delivered: 3,
    exports: [{ delivered: 2, dropped: 1, droppedByReason: { refused: 1 } }],
  })
})

test('spans that a collector rejects in an answer of success are reported, and counted as dropped', async () => {
  collector.answer = () => ({
    status: 200,
    body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}',
  })
  const { tracer, reports } = newTracer()
  for (const name of ['one', 'two', 'three']) tracer.trace(name, () => 1)
  const { exports } = await tracer.close()
  expect(reports[0]).toBe('collector: it rejected 2 spans: too old')
  expect(exports).toMatchObject([
    { recorded: 3, delivered: 1, dropped: 2, droppedByReason: { refused: 2 } },
  ])
})

test('without a key, the exporter is the only receiver, and nothing is warned of', async () => {
  const { tracer, reports } = newTracer({ apiKey: '' })
  tracer.trace('one', () => 1)
  expect(await tracer.close()).toMatchObject({ exports: [{ recorded: 1, delivered: 1 }] })
  expect(reports).toEqual([])
  expect(sink.requests).toEqual([])
})

test('a disabled client exports nothing', async () => {
  const { tracer } = newTracer({ disabled: true })
  tracer.trace('one', () => 1)
  await tracer.close()
  expect(collector.requests).toEqual([])
})

test('a process that exits has delivered to both', async () => {
  const program = join(import.meta.dirname, 'support/exporting-program.js')
  const child = spawn(process.execPath, [program, sink.url, collector.url], { stdio: 'inherit' })
  expect((await once(child, 'exit'))[0]).toBe(7)
  expect(sink.taken.map(({ name }) => name)).toEqual(['last'])
  expect(collector.spans.map(({ name }) => name)).toEqual(['last'])
})

test('at an exit, a collector that never answers takes no time from the service', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const program = join(import.meta.dirname, 'support/exporting-program.js')
  const child = spawn(process.execPath, [program, sink.url, `http://127.0.0.1:${port}/v1/traces`])
  expect((await once(child, 'exit'))[0]).toBe(7)
  expect(sink.taken.map(({ name }) => name)).toEqual(['last'])
  silent.closeAllConnections()
  await new Promise((resolve) => silent.close(resolve))
})

test('whatever is recorded, each step is one span with valid ids, below its parent', async () => {
  // Each node but the first has one before it as its parent.
  const nodes = fc.array(
    fc.record({
      type: fc.constantFrom('llm', 'tool', 'run', 'retrieval', undefined),
      value: fc.jsonValue({ maxDepth: 2 }),
      above: fc.nat(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(nodes, async (tree) => {
      collector.requests = []
      const { tracer } = newTracer()
      const parents = new Map<string, string | undefined>()
      const record = async (index: number, parent?: string): Promise<void> => {
        const { type, value } = tree[index] as (typeof tree)[number]
        const step = tracer.step({ type: type as never, name: 'n', input: { value } })
        parents.set(step.id, parent)
        await step.wrap(async () => {
          for (let child = index + 1; child < tree.length; child++)
            if ((tree[child]?.above ?? 0) % child === index) await record(child, step.id)
          return value
        })
      }
      await record(0)
      await tracer.close()
      const spans = new Map(
        collector.spans.map((span) => [valuesOf(span.attributes)['stepwell.step.id'], span]),
      )
      expect(collector.spans).toHaveLength(tree.length)
      expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1)
      for (const [id, parent] of parents) {
        const span = spans.get(id)
        expect(span?.traceId).toMatch(/^(?!0+$)[\da-f]{32}$/)
        expect(span?.spanId).toMatch(/^(?!0+$)[\da-f]{16}$/)
        expect(span?.parentSpanId).toBe(spans.get(parent)?.spanId)
        expect(BigInt(span?.endTimeUnixNano ?? 0)).toBeGreaterThanOrEqual(
          BigInt(span?.startTimeUnixNano ?? 1),
        )
      }
    }),
    { numRuns: 25 },
  )
})

test('a step whose start is unknown has a span that begins at its end', async () => {
  const { tracer } = newTracer()
  const unknown = tracer.step({ name: 'unknown', type: 'tool' })
  unknown.startTime = undefined
  unknown.endTime = '2026-05-01T10:00:00.000500Z'
  unknown.end()
  tracer.step({ name: 'no moment', type: 'tool', startTime: 'yesterday' }).end()
  const before = BigInt(Date.now()) * 1_000_000n
  expect(await tracer.close()).toMatchObject({ exports: [{ recorded: 2, delivered: 2 }] })
  const end = `${Date.parse('2026-05-01T10:00:00Z') / 1000}000500000`
  expect(spanOf('unknown')).toMatchObject({ startTimeUnixNano: end, endTimeUnixNano: end })
  const { startTimeUnixNano: start } = spanOf('no moment')
  expect(BigInt(start)).toBeGreaterThan(before - 60_000_000_000n)
  expect(BigInt(start)).toBeLessThanOrEqual(BigInt(spanOf('no moment').endTimeUnixNano))
})

test('a file that is added to a recorded step makes no second span', async () => {
  const { tracer } = newTracer()
  const step = tracer.step({ name: 'one', type: 'tool' })
  step.end()
  step.attach({ id: 'file', name: 'report.pdf', objectKey: 'key' })
  await tracer.close()
  expect(collector.spans).toHaveLength(1)
})

test.each([
  [{ url: 'collector' }, 'url: expected the http address of a collector, got collector'],
  [{ url: 'http://me:secret@collector' }, 'url: expected an address without user and password'],
  [{ url: 1 as never }, 'url: expected a text, got number'],
  [{ headers: { a: 1 as never } }, 'headers.a: expected a text, got number'],
  [
    { headers: { a: 'b\r\nc: d' } },
    'headers.a: expected characters of Latin-1 without line breaks',
  ],
  [{ headers: { a: '☃' } }, 'headers.a: expected characters of Latin-1'],
  [{ headers: { 'a b': 'c' } }, 'headers: expected names of headers, got "a b"'],
  [{ headers: new Headers({ a: 'b' }) as never }, 'headers: expected a plain object'],
  [{ headers: new Map([['a', 'b']]) as never }, 'headers: expected a plain object'],
  [{ headers: null as never }, 'headers: expected an object, got null'],
  [{ headers: ['a'] as never }, 'headers: expected an object, got list'],
  [{ serviceName: 1 as never }, 'serviceName: expected a text, got number'],
  [{ name: null as never }, 'name: expected a text, got null'],
  [{ resource: 'host' as never }, 'resource: expected an object, got string'],
  [{ content: 'no' as never }, 'content: expected true or false, got string'],
  [null as never, 'options: expected an object, got null'],
])('%j is rejected', (options, message) => {
  expect(() => otlp(options)).toThrow(message)
})

test.each([
  [{ fetch: 1 as never }, 'fetch: expected a function, got number'],
  [{ fetch: null as never }, 'fetch: expected a function, got null'],
  [{ apiUrl: 'collector' }, 'apiUrl: expected an http or https URL'],
  [{ apiKey: 1 as never }, 'apiKey: expected a text, got number'],
  [{ apiKey: 'a\nb' }, 'apiKey: expected printable characters'],
  [{ filter: null as never }, 'filter: expected a function, got null'],
  [{ onReport: 'log' as never }, 'onReport: expected a function, got string'],
  [{ delivery: 1 as never }, 'delivery: expected an object, got number'],
  [{ delivery: { maxRequests: 0 } }, 'delivery.maxRequests: expected a whole number from 1'],
  [null as never, 'options: expected an object, got null'],
])('a processor with %j is rejected', (options, message) => {
  expect(() => new StepwellSpanProcessor(options && { apiKey: 'k', ...options })).toThrow(message)
})

test('something else among the exporters is rejected by its place', () => {
  expect(() => newTracer({ exporters: [otlp(), {} as never] })).toThrow(
    'exporters[1]: expected an exporter, such as otlp() of stepwell/otlp',
  )
})
