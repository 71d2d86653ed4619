import * as context from '@langchain/core/context'
import { Document } from '@langchain/core/documents'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { StringOutputParser } from '@langchain/core/output_parsers'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { BaseRetriever } from '@langchain/core/retrievers'
import { RunnableLambda } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { interrupt, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { recordLangChain, stepwellCallbacks } from '../../src/hooks/langchain/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, openStream, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM, CHAT_WITH_TOOLS, TOOL_CALLS, TOOL_STREAM } from '../support/answers.js'
import { outline, read, sameWithAndWithout, take } from './support.js'

const server = useModelServer()
const question = 'Where is my order?'
const messages = [{ role: 'user', content: question }]

const model = (options: Partial<ConstructorParameters<typeof ChatOpenAI>[0] & object> = {}) =>
  new ChatOpenAI({
    model: 'gpt-4o',
    temperature: 0.1,
    apiKey: 'key',
    maxRetries: 0,
    configuration: { baseURL: `${server.url}/v1` },
    ...options,
  })
const hooked = (recording: Pick<Recording, 'stepwell'> | undefined) =>
  recording === undefined ? {} : { callbacks: [stepwellCallbacks(recording.stepwell)] }
const weather = tool(async ({ city }: { city: string }) => `Rain in ${city}`, {
  name: 'weather',
  description: 'The weather of a city',
  schema: z.object({ city: z.string() }),
})
/** Without ids, which differ from run to run. */
const contentOf = (result: { content: unknown; tool_calls?: unknown }) => [
  result.content,
  result.tool_calls,
]

test('a chat model: messages, settings, tokens and times are those of the request and its answer', async () => {
  const { steps } = await sameWithAndWithout(server, [json(CHAT)], async (recording) =>
    contentOf(
      await model().invoke(
        [new SystemMessage('Be short.'), new HumanMessage(question)],
        hooked(recording),
      ),
    ),
  )
  expect(steps).toMatchObject([
    {
      type: 'llm',
      name: 'ChatOpenAI',
      isOpen: false,
      error: undefined,
      generation: {
        type: 'CHAT',
        provider: 'openai',
        model: 'gpt-4o-2024-08-06',
        messages: [{ role: 'system', content: 'Be short.' }, ...messages],
        messageCompletion: { role: 'assistant', content: 'On its way.' },
        settings: { temperature: 0.1 },
        inputTokenCount: 20,
        outputTokenCount: 5,
        usage: { input: 12, cached: 8, output: 3, reasoning: 2, total: 25 },
        tokenCount: 25,
      },
    },
  ])
  expect(steps[0]?.generation?.duration).toBeGreaterThan(0)
})

test('parallel calls of tools, whole and in a stream', async () => {
  const generation = {
    messageCompletion: { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
    tools: [{ type: 'function', function: { name: 'weather' } }],
    tokenCount: 25,
  }
  const whole = await sameWithAndWithout(server, [json(CHAT_WITH_TOOLS)], async (recording) =>
    contentOf(await model().bindTools([weather]).invoke(question, hooked(recording))),
  )
  expect(whole.steps.at(-1)).toMatchObject({ type: 'llm', generation })
  const streamed = await sameWithAndWithout(server, [stream(TOOL_STREAM, 100)], async (recording) =>
    (await read(await model().bindTools([weather]).stream(question, hooked(recording)))).map(
      contentOf,
    ),
  )
  expect(streamed.steps.at(-1)).toMatchObject({ type: 'llm', generation })
})

test('a stream to its end tells when the first content came', async () => {
  const whole = await sameWithAndWithout(server, [stream(CHAT_STREAM, 33)], async (recording) =>
    (await read(await model().stream(question, hooked(recording)))).map(contentOf),
  )
  expect(whole.steps).toMatchObject([
    {
      isOpen: false,
      error: undefined,
      generation: { messageCompletion: { content: 'On its way.' }, tokenCount: 25 },
    },
  ])
  const { ttFirstToken, duration } = whole.steps[0]?.generation ?? {}
  expect(ttFirstToken).toBeGreaterThan(0)
  expect(ttFirstToken).toBeLessThanOrEqual((duration ?? 0) * 1000)
})

test('a stream that is left keeps what came, and a call that is aborted has failed', async () => {
  const left = await sameWithAndWithout(
    server,
    [openStream(CHAT_STREAM.slice(0, 3))],
    async (recording) =>
      (await take(await model().stream(question, hooked(recording)), 3)).map(contentOf),
  )
  // LangChain tells of a piece when the next one is asked for, and tells nobody that it was left: the step ends after the silence that streams have, or with the process.
  expect(left.steps).toMatchObject([{ isOpen: true }])
  left.stepwell.recorder.recordOpen('the process ended')
  expect(left.steps).toMatchObject([
    {
      isOpen: false,
      error: 'the process ended',
      generation: { messages, messageCompletion: { content: expect.stringContaining('On its') } },
    },
  ])
  const aborted = await sameWithAndWithout(server, [() => {}], (recording) =>
    model().invoke(question, { ...hooked(recording), signal: server.limit() }),
  )
  expect(aborted.steps).toMatchObject([
    { isOpen: false, error: expect.stringMatching(/abort/i), generation: { messages } },
  ])
})

test('a stream that nobody reads on ends after a time of silence, and those around it with it', async () => {
  server.plays(openStream(CHAT_STREAM.slice(0, 3)))
  const { stepwell, steps } = recordInMemory({ streamTimeoutMs: 1000 })
  const chain = ChatPromptTemplate.fromMessages([['user', '{question}']]).pipe(model())
  await take(await chain.stream({ question }, hooked({ stepwell })), 3)
  await eventually(() => expect(steps.some(({ isOpen }) => isOpen)).toBe(false))
  const call = steps.find(({ type }) => type === 'llm')
  expect(call).toMatchObject({
    metadata: { ended: 'abandoned' },
    generation: { messageCompletion: { content: expect.stringContaining('On its') } },
  })
  expect(stepwell.stats().timedOut).toBeGreaterThan(0)
})

test('with stepwell.fetch, a call whose stream is left ends soon', async () => {
  server.plays(openStream(CHAT_STREAM.slice(0, 3)))
  const { stepwell, steps } = recordInMemory()
  const asking = model({
    configuration: { baseURL: `${server.url}/v1`, fetch: stepwell.fetch },
  })
  for await (const { content } of await asking.stream(question, hooked({ stepwell })))
    if (content !== '') break
  await eventually(() => expect(steps.some(({ isOpen }) => isOpen)).toBe(false))
  expect(steps.find(({ type }) => type === 'llm')).toMatchObject({
    error: undefined,
    metadata: { ended: 'cancelled' },
    generation: { messageCompletion: { content: expect.stringContaining('On its') } },
  })
  expect(stepwell.stats().timedOut).toBe(0)
})

test('a chain that leaves an answer and goes on is whole', async () => {
  const { steps, tree } = await sameWithAndWithout(
    server,
    [openStream(CHAT_STREAM.slice(0, 3)), json(CHAT)],
    async (recording) => {
      const fetch = recording?.stepwell.fetch ?? globalThis.fetch
      const asking = model({ configuration: { baseURL: `${server.url}/v1`, fetch } })
      const chain = RunnableLambda.from(async (text: string) => {
        for await (const { content } of await asking.stream(text)) if (content !== '') break
        if (recording !== undefined)
          await eventually(() => expect(recording.steps.at(-1)?.isOpen).toBe(false))
        return contentOf(await asking.invoke(text))
      })
      return chain.invoke(question, hooked(recording))
    },
  )
  expect(steps.every(({ isOpen }) => !isOpen)).toBe(true)
  expect(outline(tree())).toEqual([
    'RunnableLambda (run)',
    '  ChatOpenAI (llm)',
    '  ChatOpenAI (llm) 25 tokens',
  ])
  expect(steps[0]?.metadata).toBeUndefined()
})

test('an error of the model, and a repetition after 429', async () => {
  const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)
  const failed = await sameWithAndWithout(server, [refused], async (recording) =>
    ChatPromptTemplate.fromMessages([['user', '{question}']])
      .pipe(model())
      .invoke({ question }, hooked(recording)),
  )
  expect(failed.steps[0]).toMatchObject({ type: 'run', error: expect.stringContaining('Too long') })
  expect(failed.steps.at(-1)).toMatchObject({
    type: 'llm',
    error: expect.stringContaining('Too long'),
    generation: { messages },
  })
  const busy = json({ error: { message: 'Slow down' } }, 429, { 'retry-after': '0.01' })
  const saved = await sameWithAndWithout(server, [busy, json(CHAT)], async (recording) =>
    contentOf(await model({ maxRetries: 1 }).invoke(question, hooked(recording))),
  )
  expect(saved.asked).toHaveLength(2)
  expect(saved.steps).toMatchObject([{ error: undefined, generation: { tokenCount: 25 } }])
})

test('each request is sent inside the step of its own model call, also when several are under way at once', async () => {
  const places: unknown[] = []
  const { steps } = await sameWithAndWithout(server, [json(CHAT)], async (recording) => {
    const fetch: typeof globalThis.fetch = (input, init) => {
      const { messages } = JSON.parse(String(init?.body))
      if (recording !== undefined) places.push([recording.stepwell.currentStep?.id, messages])
      return globalThis.fetch(input, init)
    }
    const asking = model({ configuration: { baseURL: `${server.url}/v1`, fetch } })
    const answers = await asking.batch(['a', 'b', 'c'], hooked(recording))
    if (recording !== undefined) expect(recording.stepwell.currentStep).toBeUndefined()
    return answers.map(contentOf)
  })
  expect(new Set(places)).toEqual(
    new Set(steps.map(({ id, generation }) => [id, generation?.messages])),
  )
  expect(steps).toHaveLength(3)
})

test('a run inside a step of the application is inside that step, and a step in a chain is inside the chain', async () => {
  const { tree } = await sameWithAndWithout(server, [json(CHAT)], async (recording) => {
    const trace = <Result>(name: string, work: () => Result): Result =>
      recording === undefined ? work() : recording.stepwell.trace(name, work)
    const chain = RunnableLambda.from((text: string) =>
      trace('inner', async () => contentOf(await model().invoke(text))),
    )
    return trace('outer', () => chain.invoke(question, hooked(recording)))
  })
  expect(tree()).toBe(
    [
      'outer (run) output ["On its way.", []]',
      '  RunnableLambda input "Where is my order?" output ["On its way.", []]',
      '    inner output ["On its way.", []]',
      '      ChatOpenAI (llm) 25 tokens',
    ].join('\n'),
  )
})

test('a retriever, with its documents', async () => {
  class Shelf extends BaseRetriever {
    lc_namespace = ['test']
    override async _getRelevantDocuments(query: string) {
      return [new Document({ pageContent: `About ${query}`, metadata: { page: 1 } })]
    }
  }
  const { steps } = await sameWithAndWithout(server, [], (recording) =>
    new Shelf().invoke('orders', hooked(recording)),
  )
  expect(steps).toMatchObject([
    {
      type: 'retrieval',
      name: 'Shelf',
      input: { query: 'orders' },
      output: { documents: [{ pageContent: 'About orders', metadata: { page: 1 } }] },
    },
  ])
})

test('a tool that fails has the error, and so has the chain around it', async () => {
  const broken = tool(async () => Promise.reject(new Error('no map')), {
    name: 'map',
    description: 'A map',
    schema: z.object({}),
  })
  const { steps } = await sameWithAndWithout(server, [], (recording) =>
    RunnableLambda.from(() => broken.invoke({})).invoke('x', hooked(recording)),
  )
  expect(steps).toMatchObject([
    { type: 'run', error: 'Error: no map' },
    { type: 'tool', name: 'map', error: 'Error: no map' },
  ])
})

test('a graph that interrupts itself has not failed', async () => {
  const { steps } = await sameWithAndWithout(server, [], async (recording) => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('ask', () => {
        interrupt('Really?')
        return {}
      })
      .addEdge('__start__', 'ask')
      .compile({ checkpointer: new MemorySaver() })
    const result = await graph.invoke(
      { messages: [] },
      { ...hooked(recording), configurable: { thread_id: '1' } },
    )
    return Object.keys(result)
  })
  expect(steps.map(({ error, isOpen }) => [error, isOpen])).toEqual(
    steps.map(() => [undefined, false]),
  )
  expect(steps.find(({ name }) => name === 'ask')).toMatchObject({
    metadata: { interrupted: true },
  })
})

test('one line records every run of the program, and none of them twice', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json(CHAT))
  await new Promise<void>((resolve) => {
    // A context of its own, as the variable stays for all that follows.
    setImmediate(async () => {
      recordLangChain(stepwell, context)
      recordLangChain(stepwell, context)
      await model().invoke(question)
      await model().invoke(question, hooked({ stepwell }))
      resolve()
    })
  })
  expect(steps.map(({ type }) => type)).toEqual(['llm', 'llm'])
  await model().invoke(question)
  expect(steps).toHaveLength(2)
})

test('a fault of the hook is reported once, and reaches nobody', async () => {
  const reports: string[] = []
  const { stepwell } = recordInMemory({ onReport: (message) => reports.push(message) })
  Object.defineProperty(stepwell.recorder, 'begin', {
    value: () => {
      throw new Error('a bug')
    },
  })
  server.plays(json(CHAT))
  const { content } = await model().invoke(question, hooked({ stepwell }))
  await model().invoke(question, hooked({ stepwell }))
  expect(content).toBe('On its way.')
  expect(reports).toEqual([expect.stringContaining('a bug')])
})

test('a chain is a tree: prompt, model and parser inside it, tokens at the model alone', async () => {
  const { steps, tree } = await sameWithAndWithout(server, [json(CHAT)], async (recording) => {
    const chain = ChatPromptTemplate.fromMessages([['user', '{question}']])
      .pipe(model())
      .pipe(new StringOutputParser())
    return chain.invoke(
      { question },
      { ...hooked(recording), runName: 'answer', tags: ['nightly'] },
    )
  })
  expect(steps[0]).toMatchObject({
    type: 'run',
    name: 'answer',
    tags: ['nightly'],
    input: { question },
    output: { output: 'On its way.' },
  })
  expect(outline(tree())).toEqual([
    'answer (run)',
    '  ChatPromptTemplate',
    '  ChatOpenAI (llm) 25 tokens',
    '  StrOutputParser',
  ])
})

test('an agent: its model calls and tools are inside it, and code in a tool is inside the tool', async () => {
  const { steps, tree } = await sameWithAndWithout(
    server,
    [json(CHAT_WITH_TOOLS), json(CHAT)],
    async (recording) => {
      const looking = tool(
        async ({ city }: { city: string }) =>
          recording === undefined
            ? `Rain in ${city}`
            : recording.stepwell.trace({ name: `look at ${city}` }, async () => `Rain in ${city}`),
        {
          name: 'weather',
          description: 'The weather of a city',
          schema: z.object({ city: z.string() }),
        },
      )
      const agent = createAgent({ model: model(), tools: [looking] })
      const { messages } = await agent.invoke(
        { messages: [new HumanMessage(question)] },
        hooked(recording),
      )
      return messages.map(contentOf)
    },
  )
  expect(outline(tree())).toEqual([
    'LangGraph (run)',
    '  model_request',
    '    ChatOpenAI (llm) 25 tokens',
    '    RunnableLambda',
    '  tools',
    '    weather (tool)',
    '      look at Oslo',
    '  tools',
    '    weather (tool)',
    '      look at Rome',
    '  model_request',
    '    ChatOpenAI (llm) 25 tokens',
    '    RunnableLambda',
  ])
  expect(steps.filter(({ type }) => type === 'llm')).toHaveLength(2)
})

test('with stepwell.fetch too, a call is one step, and its tokens count once', async () => {
  const { steps, tree } = await sameWithAndWithout(
    server,
    [json(CHAT), stream(CHAT_STREAM, 33)],
    async (recording) => {
      const fetch = recording?.stepwell.fetch ?? globalThis.fetch
      const asking = model({ configuration: { baseURL: `${server.url}/v1`, fetch } })
      const chain = ChatPromptTemplate.fromMessages([['user', '{question}']]).pipe(asking)
      const whole = contentOf(await chain.invoke({ question }, hooked(recording)))
      const pieces = await read(await chain.stream({ question }, hooked(recording)))
      return [whole, pieces.map(contentOf)]
    },
  )
  const one = ['RunnableSequence (run)', '  ChatPromptTemplate', '  ChatOpenAI (llm) 25 tokens']
  expect(outline(tree())).toEqual([...one, ...one])
  for (const step of steps.filter(({ type }) => type === 'llm'))
    expect(step).toMatchObject({
      isOpen: false,
      generation: { messages, messageCompletion: { content: 'On its way.' }, inputTokenCount: 20 },
      metadata: { modelCall: { api: 'openai.chat', status: 200 } },
    })
})
