import { LangfuseSpanProcessor } from '@langfuse/otel'
import { startActiveObservation } from '@langfuse/tracing'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['@langfuse/tracing', '@langfuse/otel', '@opentelemetry/sdk-trace-node']
export const entry = packages

export const create = async ({ url }) => {
  const processor = new LangfuseSpanProcessor({ publicKey: 'pk', secretKey: 'sk', baseUrl: url })
  new NodeTracerProvider({ spanProcessors: [processor] }).register()
  const observe = (title, update, work, asType) =>
    startActiveObservation(
      title,
      (span) => {
        span.update(update)
        return work()
      },
      { asType },
    )
  return {
    run: () =>
      observe(
        name('run'),
        { input: { content: 'Where is my order?' } },
        () => {
          observe(name('search'), { output: { documents: ['a', 'b'] } }, () => 1, 'retriever')
          observe(
            name('model'),
            { model: 'gpt-4o', input: MESSAGES, output: COMPLETION },
            () => 2,
            'generation',
          )
          return observe(
            name('tool'),
            { input: { order: 7 }, output: { status: 'shipped' } },
            () => 3,
            'tool',
          )
        },
        'agent',
      ),
    flush: () => processor.forceFlush(),
  }
}
