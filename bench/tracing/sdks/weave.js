import { init, op } from 'weave'
import { ANSWER, COMPLETION, MESSAGES, name } from '../workload.js'

export const packages = ['weave']
export const entry = packages

export const create = async ({ url }) => {
  process.env.WANDB_API_KEY = 'b'.repeat(40)
  process.env.WANDB_BASE_URL = url
  process.env.WF_TRACE_SERVER_URL = url
  const client = await init('entity/bench', { baseUrl: url, traceBaseUrl: url })
  const call = (title, input, output) => op(async () => output, { name: title })(input)
  return {
    run: () =>
      op(
        async () => {
          await call(name('search'), {}, ['a', 'b'])
          await call(name('model'), { messages: MESSAGES }, COMPLETION)
          return call(name('tool'), { order: 7 }, { status: 'shipped', ANSWER: ANSWER.length })
        },
        { name: name('run') },
      )({ content: 'Where is my order?' }),
    flush: () => client?.waitForBatchProcessing?.(),
  }
}
