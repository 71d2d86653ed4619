import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { createTool } from '@mastra/core/tools'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { Observability } from '@mastra/observability'
import { createOpenAI } from 'ai-sdk-openai-3'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { stepwellBridge } from '../../src/hooks/mastra/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, openStream, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM, CHAT_WITH_TOOLS, TOOL_CALLS } from '../support/answers.js'
import { outline, read, sameWithAndWithout, take } from './support.js'

const server = useModelServer()
const question = 'Where is my order?'
const messages = [
  { role: 'system', content: 'Be short.' },
  { role: 'user', content: question },
]
const ended = ({ steps }: Pick<Recording, 'steps'>) =>
  eventually(() => expect(steps.filter(({ isOpen }) => isOpen).map(({ name }) => name)).toEqual([]))

const mastraOf = (
  recording: Pick<Recording, 'stepwell'> | undefined,
  { isTapped = false, place = 'bridge', maxRetries = 0 } = {},
) => {
  const provider = createOpenAI({
    apiKey: 'key',
    baseURL: `${server.url}/v1`,
    ...(isTapped && recording !== undefined ? { fetch: recording.stepwell.fetch } : {}),
  })
  const weather = createTool({
    id: 'weather',
    description: 'The weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      if (city === 'Rome') await new Promise((resolve) => setImmediate(resolve))
      return recording === undefined
        ? `Rain in ${city}`
        : recording.stepwell.trace(`look at ${city}`, async () => `Rain in ${city}`)
    },
  })
  const broken = createTool({
    id: 'broken',
    description: 'Fails',
    inputSchema: z.object({}),
    execute: async () => {
      throw new Error('no map')
    },
  })
  const agent = new Agent({
    id: 'clerk',
    name: 'clerk',
    instructions: 'Be short.',
    model: provider.chat('gpt-4o'),
    tools: { weather, broken },
    maxRetries,
  })
  const shout = createStep({
    id: 'shout',
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ text: z.string() }),
    execute: async ({ inputData }) => {
      if (inputData.text === '') throw new Error('nothing to shout')
      const loud = async () => ({ text: inputData.text.toUpperCase() })
      return recording === undefined ? loud() : recording.stepwell.trace('inner', loud)
    },
  })
  const flow = createWorkflow({
    id: 'flow',
    inputSchema: z.object({ text: z.string() }),
    outputSchema: z.object({ text: z.string() }),
  })
    .then(shout)
    .commit()
  const bridge = recording && stepwellBridge(recording.stepwell)
  const mastra = new Mastra({
    agents: { clerk: agent },
    workflows: { flow },
    logger: false,
    ...(bridge === undefined
      ? {}
      : {
          observability: new Observability({
            configs: {
              default: {
                serviceName: 'shop',
                ...(place === 'bridge' ? { bridge } : { exporters: [bridge] }),
              },
            },
          }),
        }),
  })
  return { agent: mastra.getAgent('clerk'), flow: mastra.getWorkflow('flow') }
}

for (const isTapped of [false, true]) {
  const kind = isTapped ? 'with stepwell.fetch too' : 'by the hook alone'

  test(`an agent with parallel tools, ${kind}: a tree, and tokens at the calls of models alone`, async () => {
    const recording = await sameWithAndWithout(
      server,
      [json(CHAT_WITH_TOOLS), json(CHAT)],
      async (recording) => (await mastraOf(recording, { isTapped }).agent.generate(question)).text,
    )
    await ended(recording)
    expect(outline(recording.tree())).toEqual([
      'clerk (run)',
      '  chat gpt-4o (llm) 25 tokens',
      '  weather (tool)',
      '    look at Oslo',
      '  weather (tool)',
      '    look at Rome',
      '  chat gpt-4o (llm) 25 tokens',
    ])
    const [first, second] = recording.steps.filter(({ type }) => type === 'llm')
    expect(first?.generation).toMatchObject({
      type: 'CHAT',
      model: 'gpt-4o-2024-08-06',
      messages,
      messageCompletion: { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
      inputTokenCount: 20,
      outputTokenCount: 5,
      usage: { input: 12, cached: 8, output: 3, reasoning: 2, total: 25 },
    })
    expect(second?.generation?.messages).toMatchObject([
      ...messages,
      { role: 'assistant', tool_calls: TOOL_CALLS },
      { role: 'tool', tool_call_id: 'call_1' },
      { role: 'tool', tool_call_id: 'call_2' },
    ])
    expect(recording.steps.find(({ type }) => type === 'tool')).toMatchObject({
      input: { city: 'Oslo' },
      output: { output: 'Rain in Oslo' },
    })
  })

  test(`a stream to its end, ${kind}`, async () => {
    const recording = await sameWithAndWithout(
      server,
      [stream(CHAT_STREAM, 33)],
      async (recording) => {
        const { textStream } = await mastraOf(recording, { isTapped }).agent.stream(question)
        return read(textStream)
      },
    )
    await ended(recording)
    expect(outline(recording.tree())).toEqual(['clerk (run)', '  chat gpt-4o (llm) 25 tokens'])
    const { generation } = recording.steps[1] ?? {}
    expect(generation?.messageCompletion).toMatchObject({ content: 'On its way.' })
    expect(generation?.ttFirstToken).toBeGreaterThan(0)
  })
}

test('an error of the model is that of its step and of the run; a repetition after 429 is one call', async () => {
  const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)
  const failed = await sameWithAndWithout(server, [refused], (recording) =>
    mastraOf(recording).agent.generate(question),
  )
  await ended(failed)
  expect(failed.steps).toMatchObject([
    { type: 'run', error: expect.stringContaining('Too long') },
    { type: 'llm', error: expect.stringContaining('Too long'), generation: { messages } },
  ])
  const busy = json({ error: { message: 'Slow down' } }, 429, { 'retry-after-ms': '1' })
  for (const options of [{}, { isTapped: true }, { isTapped: true, place: 'exporters' }]) {
    const saved = await sameWithAndWithout(server, [busy, json(CHAT)], async (recording) => {
      const { agent } = mastraOf(recording, { maxRetries: 1, ...options })
      return (await agent.generate(question, { modelSettings: { maxRetries: 1 } })).text
    })
    await ended(saved)
    expect(saved.asked).toHaveLength(2)
    expect(saved.steps).toMatchObject([
      { type: 'run', error: undefined },
      { type: 'llm', error: undefined, generation: { tokenCount: 25 } },
    ])
  }
})

test('a tool that fails has the error', async () => {
  const call = { ...TOOL_CALLS[0], function: { name: 'broken', arguments: '{}' } }
  const answer = {
    ...CHAT,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, tool_calls: [call] },
        finish_reason: 'tool_calls',
      },
    ],
  }
  const recording = await sameWithAndWithout(
    server,
    [json(answer), json(CHAT)],
    async (recording) => (await mastraOf(recording).agent.generate(question)).text,
  )
  await ended(recording)
  expect(recording.steps.find(({ type }) => type === 'tool')).toMatchObject({
    name: 'broken',
    error: expect.stringContaining('no map'),
  })
})

test('a workflow and its steps, and one that fails', async () => {
  const recording = await sameWithAndWithout(server, [], async (recording) => {
    const { flow } = mastraOf(recording)
    const results: unknown[] = []
    for (const text of ['hello', '']) {
      const run = await flow.createRun()
      const { status } = await run.start({ inputData: { text } })
      results.push(status)
    }
    return results
  })
  await ended(recording)
  expect(outline(recording.tree())).toEqual([
    'flow (run)',
    '  shout',
    '    inner',
    'flow (run)',
    '  shout',
  ])
  expect(recording.steps.map(({ error }) => error !== undefined)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
})

test('a call that is aborted has failed', async () => {
  const recording = await sameWithAndWithout(server, [() => {}], async (recording) => {
    await mastraOf(recording).agent.generate(question, { abortSignal: server.limit() })
  })
  await ended(recording)
  expect(recording.steps).toMatchObject([
    { type: 'run', isOpen: false, error: expect.stringMatching(/abort/i) },
    { type: 'llm', isOpen: false, error: expect.stringMatching(/abort/i) },
  ])
})

test('a stream that is left ends after a time of silence, with what came', async () => {
  server.plays(openStream(CHAT_STREAM.slice(0, 3)))
  const recording = recordInMemory({ streamTimeoutMs: 2000 })
  const { textStream } = await mastraOf(recording, { isTapped: true }).agent.stream(question)
  await take(textStream as AsyncIterable<string>, 1)
  await ended(recording)
  expect(recording.steps.at(-1)).toMatchObject({
    type: 'llm',
    generation: { messages, messageCompletion: { content: expect.stringContaining('On its') } },
  })
})

test('a process that ends in the middle leaves the step with what came', async () => {
  server.plays(openStream(CHAT_STREAM.slice(0, 3)))
  const recording = recordInMemory()
  const { textStream } = await mastraOf(recording, { isTapped: true }).agent.stream(question)
  await take(textStream as AsyncIterable<string>, 1)
  recording.stepwell.recorder.recordOpen('the process ended')
  expect(recording.steps).toMatchObject([
    { type: 'run', error: 'the process ended' },
    {
      type: 'llm',
      error: 'the process ended',
      generation: { messageCompletion: { content: expect.stringContaining('On its') } },
    },
  ])
})

for (const isTapped of [false, true]) {
  const kind = isTapped ? 'with stepwell.fetch too' : 'by the hook alone'

  test(`among the exporters it records the same, ${kind}`, async () => {
    const recording = await sameWithAndWithout(
      server,
      [json(CHAT_WITH_TOOLS), json(CHAT)],
      async (recording) => {
        const { agent } = mastraOf(recording, { place: 'exporters', isTapped })
        const { text } = await agent.generate(question)
        expect(recording?.stepwell.currentStep).toBeUndefined()
        return text
      },
    )
    await ended(recording)
    const calls = recording.steps.filter(({ type }) => type === 'llm')
    expect(calls.map(({ generation }) => generation?.tokenCount)).toEqual([25, 25])
    expect(outline(recording.tree()).filter((line) => !line.includes('look at'))).toEqual([
      'clerk (run)',
      '  chat gpt-4o (llm) 25 tokens',
      '  weather (tool)',
      '  weather (tool)',
      '  chat gpt-4o (llm) 25 tokens',
    ])
  })

  test(`among the exporters, a stream is one step too, ${kind}, also when others are under way`, async () => {
    const recording = await sameWithAndWithout(
      server,
      [stream(CHAT_STREAM, 33)],
      async (recording) => {
        const { agent } = mastraOf(recording, { place: 'exporters', isTapped })
        const streams = await Promise.all(['a', 'b', 'c'].map((text) => agent.stream(text)))
        const texts = await Promise.all(
          streams.map(({ textStream }) => read(textStream as AsyncIterable<string>)),
        )
        expect(recording?.stepwell.currentStep).toBeUndefined()
        return texts
      },
    )
    await ended(recording)
    const calls = recording.steps.filter(({ type }) => type === 'llm')
    expect(calls.map(({ generation }) => generation?.tokenCount)).toEqual([25, 25, 25])
    const ofCall = ({ generation }: (typeof calls)[number]) =>
      (generation?.messages as unknown[] | undefined)?.at(-1)
    expect(calls.map(ofCall)).toEqual(['a', 'b', 'c'].map((content) => ({ role: 'user', content })))
  })
}
