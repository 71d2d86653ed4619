import { Opik } from 'opik'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['opik']
export const entry = packages

export const create = async ({ url }) => {
  const client = new Opik({
    apiUrl: url,
    apiKey: 'bench',
    projectName: 'bench',
    workspaceName: 'bench',
  })
  return {
    run: () => {
      const trace = client.trace({ name: name('run'), input: { content: 'Where is my order?' } })
      trace.span({ name: name('search'), type: 'tool', output: { documents: ['a', 'b'] } }).end()
      trace
        .span({
          name: name('model'),
          type: 'llm',
          model: 'gpt-4o',
          input: { messages: MESSAGES },
          output: COMPLETION,
        })
        .end()
      trace
        .span({
          name: name('tool'),
          type: 'tool',
          input: { order: 7 },
          output: { status: 'shipped' },
        })
        .end()
      trace.end()
      return 3
    },
    flush: () => client.flush(),
  }
}
