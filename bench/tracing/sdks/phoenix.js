import { register } from '@arizeai/phoenix-otel'
import { spanning } from '../spans.js'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['@arizeai/phoenix-otel']
export const entry = packages

export const create = async ({ url }) => {
  const provider = register({ projectName: 'bench', url, apiKey: 'bench' })
  const tracer = provider.getTracer('bench')
  const span = spanning(tracer)
  return {
    run: () =>
      span(name('run'), { 'input.value': 'Where is my order?' }, () => {
        span(
          name('search'),
          { 'openinference.span.kind': 'RETRIEVER', 'output.value': '["a","b"]' },
          () => 1,
        )
        span(
          name('model'),
          {
            'openinference.span.kind': 'LLM',
            'input.value': JSON.stringify(MESSAGES),
            'output.value': JSON.stringify(COMPLETION),
          },
          () => 2,
        )
        return span(
          name('tool'),
          {
            'openinference.span.kind': 'TOOL',
            'input.value': '{"order":7}',
            'output.value': '{"status":"shipped"}',
          },
          () => 3,
        )
      }),
    flush: () => provider.forceFlush(),
  }
}
