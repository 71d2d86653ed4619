import { context, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createService, type Listening, listen, type Service } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StepwellClient } from '../src/index.js'

let service: Service
let listening: Listening
let api: StepwellClient['api']
beforeAll(async () => {
  service = await createService({ apiKey: 'otel' })
  listening = await listen(service, '127.0.0.1', 0)
  api = new StepwellClient({ apiKey: 'otel', apiUrl: listening.url }).api
})
afterAll(async () => {
  await listening?.stop()
  await service?.close()
})

/** Runs an agent that calls a model, and a tool that fails. Returns the id of its trace. */
const run = (tracer: Tracer): string => {
  const agent = tracer.startSpan('agent')
  const inside = trace.setSpan(context.active(), agent)
  const call = tracer.startSpan('chat gpt-4o', {}, inside)
  call.setAttributes({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [{ type: 'text', content: 'Grüße, 𠀀' }] },
    ]),
  })
  call.end()
  const attributes = { 'gen_ai.operation.name': 'execute_tool' }
  const tool = tracer.startSpan('look_up', { attributes }, inside)
  tool.recordException(new Error('no answer'))
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'no answer' })
  tool.end()
  agent.end()
  return agent.spanContext().traceId
}

test.each([
  ['protobuf', ProtobufExporter],
  ['JSON', JsonExporter],
] as const)("OpenTelemetry's own exporter of %s is understood", async (_, Exporter) => {
  const exporter = new Exporter({
    url: `${listening.url}/v1/traces`,
    headers: { 'x-api-key': 'otel' },
  })
  const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
  const traceId = run(provider.getTracer('compat'))
  await provider.shutdown()
  const thread = await api.getThread(traceId)
  expect(thread?.name).toBe('agent')
  expect(thread?.steps?.map(({ type, name }) => [type, name]).sort()).toEqual([
    ['llm', 'chat gpt-4o'],
    ['run', 'agent'],
    ['tool', 'look_up'],
  ])
  const of = (wanted: string) => thread?.steps?.find(({ type }) => type === wanted)
  expect(of('llm')?.generation).toMatchObject({
    model: 'gpt-4o',
    tokenCount: 15,
    messages: [{ role: 'user', content: 'Grüße, 𠀀' }],
  })
  expect(of('llm')?.parentId).toBe(of('run')?.id)
  expect(of('tool')?.error).toContain('no answer')
})
