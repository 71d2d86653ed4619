import { flush, initLogger, traced } from 'braintrust'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['braintrust']
export const entry = packages

export const create = async ({ url }) => {
  initLogger({ projectName: 'bench', apiKey: 'bench', appUrl: url })
  const span = (title, event, work, type) =>
    traced(
      (span) => {
        span.log(event)
        return work()
      },
      { name: title, type },
    )
  return {
    run: () =>
      span(
        name('run'),
        { input: { content: 'Where is my order?' } },
        () => {
          span(name('search'), { output: { documents: ['a', 'b'] } }, () => 1, 'function')
          span(
            name('model'),
            { input: MESSAGES, output: COMPLETION, metadata: { model: 'gpt-4o' } },
            () => 2,
            'llm',
          )
          return span(
            name('tool'),
            { input: { order: 7 }, output: { status: 'shipped' } },
            () => 3,
            'tool',
          )
        },
        'task',
      ),
    flush: () => flush(),
  }
}
