import { Tracer } from 'stepwell/tracing'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const entry = 'stepwell/tracing'
export const packages = ['stepwell']

export const create = async ({ url }) =>
  recording(new Tracer({ apiKey: 'bench', apiUrl: url, onReport: () => {} }))

/** The measured calls, with any tracer. */
export const recording = (stepwell) => ({
  run: () =>
    stepwell.trace(
      { name: name('run'), type: 'run', input: { content: 'Where is my order?' } },
      () => {
        stepwell.trace(
          { name: name('search'), type: 'retrieval', output: { documents: ['a', 'b'] } },
          () => 1,
        )
        stepwell.trace(
          {
            name: name('model'),
            type: 'llm',
            generation: { model: 'gpt-4o', messages: MESSAGES, messageCompletion: COMPLETION },
          },
          () => 2,
        )
        return stepwell.trace(
          {
            name: name('tool'),
            type: 'tool',
            input: { order: 7 },
            output: { status: 'shipped' },
          },
          () => 3,
        )
      },
    ),
  flush: () => stepwell.flush(),
  stats: () => stepwell.stats(),
})
