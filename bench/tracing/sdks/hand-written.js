// The limit: a step is an object in a list, context is AsyncLocalStorage, and one request at a time carries all steps
// so far.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { COMPLETION, MESSAGES, name } from '../workload.js'

export const create = async ({ url }) => {
  const context = new AsyncLocalStorage()
  const agent = new Agent({ keepAlive: true })
  let queue = []
  let timer
  let sending
  const step = (fields, work) => {
    const parent = context.getStore()
    const record = { id: randomUUID(), parentId: parent?.id, startTime: Date.now(), ...fields }
    const result = context.run(record, work)
    record.endTime = Date.now()
    queue.push(record)
    if (queue.length >= 500) void send()
    timer ??= setTimeout(send, 500)
    return result
  }
  const post = (body) =>
    new Promise((resolve, reject) => {
      const sent = request(
        `${url}/steps`,
        { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
        (answer) => {
          answer.resume()
          answer.on('end', resolve)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  const send = () => {
    sending ??= (async () => {
      clearTimeout(timer)
      timer = undefined
      await new Promise(setImmediate)
      while (queue.length > 0) {
        const batch = queue.slice(0, 500)
        queue = queue.slice(500)
        await post(JSON.stringify({ steps: batch }))
      }
    })().finally(() => {
      sending = undefined
    })
    return sending
  }
  return {
    run: () =>
      step({ name: name('run'), type: 'run', input: { content: 'Where is my order?' } }, () => {
        step(
          { name: name('search'), type: 'retrieval', output: { documents: ['a', 'b'] } },
          () => 1,
        )
        step(
          {
            name: name('model'),
            type: 'llm',
            generation: { model: 'gpt-4o', messages: MESSAGES, messageCompletion: COMPLETION },
          },
          () => 2,
        )
        return step(
          { name: name('tool'), type: 'tool', input: { order: 7 }, output: { status: 'shipped' } },
          () => 3,
        )
      }),
    flush: async () => {
      while (queue.length > 0 || sending !== undefined) await send()
    },
  }
}
