import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { stepwellCallbacks } from '../src/hooks/langchain/index.js'
import { recordInMemory } from '../src/testing/index.js'

const REFUSED = '[unreadable: it is closed]'
const closed = (): never => {
  throw new Error('it is closed')
}
const hostile = () => Object.defineProperty({ kept: 1 }, 'row', { enumerable: true, get: closed })
const message = (content: unknown) => ({ getType: () => 'human', content })
/** A message, one member of which cannot be read. */
const hostileMessage = () =>
  Object.defineProperty(message('hi'), 'name', { enumerable: true, get: closed })

/** Starts and ends a run with handlers, as LangChain does. Returns the steps. */
const recorded = async (kind: 'Chain' | 'Tool' | 'ChatModel', given: unknown, output: unknown) => {
  const { stepwell, steps } = recordInMemory({ onReport: (text) => expect.unreachable(text) })
  const handlers = stepwellCallbacks(stepwell)
  const { start, end } = {
    Chain: { start: handlers.handleChainStart, end: handlers.handleChainEnd },
    Tool: { start: handlers.handleToolStart, end: handlers.handleToolEnd },
    ChatModel: { start: handlers.handleChatModelStart, end: handlers.handleLLMEnd },
  }[kind]
  await start({ name: 'made' }, given, 'run', undefined)
  await end(output, 'run')
  return steps
}

test('a chain whose input and output have a member that throws keeps its step, and the members beside', async () => {
  const given = { question: 'why', list: [hostile(), 2], deep: { deeper: hostile() } }
  expect(await recorded('Chain', given, hostile())).toMatchObject([
    {
      input: {
        question: 'why',
        list: [{ kept: 1, row: REFUSED }, 2],
        deep: { deeper: { kept: 1, row: REFUSED } },
      },
      output: { kept: 1, row: REFUSED },
    },
  ])
})

test('one message that cannot be read leaves the others of a model call readable', async () => {
  const [step] = await recorded('ChatModel', [[message('why'), hostileMessage()]], {})
  expect(step?.generation?.messages).toEqual([
    { role: 'user', content: 'why' },
    { role: 'user', content: REFUSED },
  ])
})

test('a tool whose arguments throw keeps its step', async () => {
  const given = Object.defineProperty({ a: 1 }, 'args', { get: closed })
  expect(await recorded('Tool', given, 'done')).toMatchObject([
    { type: 'tool', name: 'made', input: { input: REFUSED }, output: { output: 'done' } },
  ])
})

test('with handlers, LangChain has a storage for its contexts, and keeps one that it had', () => {
  const storages = globalThis as Record<symbol, unknown>
  const name = Symbol.for('ls:tracing_async_local_storage')
  stepwellCallbacks(recordInMemory().stepwell)
  const made = storages[name]
  expect(made).toBeInstanceOf(AsyncLocalStorage)
  stepwellCallbacks(recordInMemory().stepwell)
  expect(storages[name]).toBe(made)
})
