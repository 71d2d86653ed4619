import { trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { spanning } from '../spans.js'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = [
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/api',
]
export const entry = packages

export const create = async ({ url }) => {
  const provider = new NodeTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
  })
  provider.register()
  const tracer = trace.getTracer('bench')
  const span = spanning(tracer)
  return {
    run: () =>
      span(name('run'), { input: JSON.stringify({ content: 'Where is my order?' }) }, () => {
        span(name('search'), { output: JSON.stringify({ documents: ['a', 'b'] }) }, () => 1)
        span(
          name('model'),
          {
            model: 'gpt-4o',
            prompt: JSON.stringify(MESSAGES),
            completion: JSON.stringify(COMPLETION),
          },
          () => 2,
        )
        return span(
          name('tool'),
          { input: JSON.stringify({ order: 7 }), output: JSON.stringify({ status: 'shipped' }) },
          () => 3,
        )
      }),
    flush: () => provider.forceFlush(),
  }
}
