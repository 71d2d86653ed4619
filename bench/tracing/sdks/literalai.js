import { LiteralClient } from '@literalai/client'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['@literalai/client']
export const entry = packages

export const create = async ({ url }) => {
  const client = new LiteralClient({ apiKey: 'bench', apiUrl: url })
  const pending = new Set()
  const record = (step) => {
    const sent = step
      .send()
      .catch(() => {})
      .finally(() => pending.delete(sent))
    pending.add(sent)
  }
  return {
    run: () => {
      const root = client.run({ name: name('run'), input: { content: 'Where is my order?' } })
      record(
        root.step({ name: name('search'), type: 'retrieval', output: { documents: ['a', 'b'] } }),
      )
      record(
        root.step({
          name: name('model'),
          type: 'llm',
          generation: {
            type: 'CHAT',
            model: 'gpt-4o',
            messages: MESSAGES,
            messageCompletion: COMPLETION,
          },
        }),
      )
      record(
        root.step({
          name: name('tool'),
          type: 'tool',
          input: { order: 7 },
          output: { status: 'shipped' },
        }),
      )
      record(root)
      return 3
    },
    flush: async () => {
      while (pending.size > 0) await Promise.all(pending)
    },
  }
}
