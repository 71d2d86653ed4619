import {
  Agent,
  InputGuardrailTripwireTriggered,
  MaxTurnsExceededError,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTraceProcessors,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { stepwellProcessor } from '../../src/hooks/openai-agents/index.js'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, openStream, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM, CHAT_WITH_TOOLS, RESPONSE, TOOL_CALLS } from '../support/answers.js'
import { outline, read, sameWithAndWithout, take } from './support.js'

const server = useModelServer()
const question = 'Where is my order?'
// The Agents SDK traces nothing where NODE_ENV is `test`.
beforeAll(() => setTracingDisabled(false))

const client = (recording: Recording | undefined, isTapped: boolean, maxRetries = 0) =>
  new OpenAI({
    apiKey: 'key',
    baseURL: `${server.url}/v1`,
    maxRetries,
    ...(isTapped && recording !== undefined ? { fetch: recording.stepwell.fetch } : {}),
  })
const hook = (recording: Recording | undefined) =>
  setTraceProcessors(recording === undefined ? [] : [stepwellProcessor(recording.stepwell)])
const weather = (recording: Recording | undefined) =>
  tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.string() }),
    execute: async ({ city }) =>
      recording === undefined
        ? `Rain in ${city}`
        : recording.stepwell.trace(`look at ${city}`, async () => `Rain in ${city}`),
  })
const ended = ({ steps }: Recording) =>
  eventually(() => expect(steps.filter(({ isOpen }) => isOpen).map(({ name }) => name)).toEqual([]))

for (const isTapped of [false, true]) {
  const kind = isTapped ? 'with stepwell.fetch too' : 'by the hook alone'

  test(`an agent with parallel tools, ${kind}: a tree, and tokens at the calls of models alone`, async () => {
    const recording = await sameWithAndWithout(
      server,
      [json(CHAT_WITH_TOOLS), json(CHAT)],
      async (recording) => {
        hook(recording)
        const model = new OpenAIChatCompletionsModel(client(recording, isTapped) as never, 'gpt-4o')
        const agent = new Agent({
          name: 'clerk',
          instructions: 'Be short.',
          model,
          tools: [weather(recording)],
        })
        const { finalOutput } = await run(agent, question)
        return finalOutput
      },
    )
    await ended(recording)
    expect(outline(recording.tree())).toEqual([
      'Agent workflow (run)',
      '  clerk (run)',
      '    chat gpt-4o (llm) 25 tokens',
      '    weather (tool)',
      '      look at Oslo',
      '    weather (tool)',
      '      look at Rome',
      '    chat gpt-4o (llm) 25 tokens',
    ])
    const [first] = recording.steps.filter(({ type }) => type === 'llm')
    expect(first?.generation).toMatchObject({
      type: 'CHAT',
      model: 'gpt-4o-2024-08-06',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: question },
      ],
      messageCompletion: { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
      inputTokenCount: 20,
      outputTokenCount: 5,
      usage: { input: 12, cached: 8, output: 3, reasoning: 2, total: 25 },
    })
    expect(recording.steps.find(({ type }) => type === 'tool')).toMatchObject({
      input: { city: 'Oslo' },
      output: { output: 'Rain in Oslo' },
    })
  })

  test(`responses, ${kind}`, async () => {
    const answer = { ...RESPONSE, output: RESPONSE.output.slice(0, 2) }
    const recording = await sameWithAndWithout(server, [json(answer)], async (recording) => {
      hook(recording)
      const model = new OpenAIResponsesModel(client(recording, isTapped) as never, 'gpt-5')
      const { finalOutput } = await run(new Agent({ name: 'clerk', model }), question)
      return finalOutput
    })
    await ended(recording)
    expect(recording.steps.find(({ type }) => type === 'llm')).toMatchObject({
      generation: {
        model: 'gpt-5-2025-08-07',
        messages: [{ role: 'user', content: question }],
        messageCompletion: { role: 'assistant' },
        inputTokenCount: 30,
        outputTokenCount: 12,
        tokenCount: 42,
      },
    })
    expect(recording.steps.filter(({ generation }) => generation !== undefined)).toHaveLength(1)
  })

  test(`a stream to its end, ${kind}`, async () => {
    const recording = await sameWithAndWithout(
      server,
      [stream(CHAT_STREAM, 33)],
      async (recording) => {
        hook(recording)
        const model = new OpenAIChatCompletionsModel(client(recording, isTapped) as never, 'gpt-4o')
        const result = await run(new Agent({ name: 'clerk', model }), question, { stream: true })
        const pieces = await read(result.toTextStream())
        await result.completed
        return pieces
      },
    )
    await ended(recording)
    expect(outline(recording.tree())).toEqual([
      'Agent workflow (run)',
      '  clerk (run)',
      '    chat gpt-4o (llm) 25 tokens',
    ])
    expect(recording.steps.at(-1)?.generation?.messageCompletion).toMatchObject({
      content: 'On its way.',
    })
  })
}

test('an error of the model is that of its step, and the app gets it as it is', async () => {
  const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)
  const recording = await sameWithAndWithout(server, [refused], async (recording) => {
    hook(recording)
    const model = new OpenAIChatCompletionsModel(client(recording, false) as never, 'gpt-4o')
    await run(new Agent({ name: 'clerk', model }), question)
  })
  await ended(recording)
  expect(recording.steps.find(({ type }) => type === 'llm')?.error).toContain('Too long')
  expect(recording.steps[0]?.error).toContain('Too long')
})

test('a handoff, a tool that fails, and a run that is cut off at its turns', async () => {
  const call = (name: string) => ({
    ...CHAT_WITH_TOOLS,
    choices: [
      {
        ...CHAT_WITH_TOOLS.choices[0],
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: '{}' } }],
        },
      },
    ],
  })
  const recording = await sameWithAndWithout(
    server,
    [json(call('transfer_to_expert')), json(call('broken'))],
    async (recording) => {
      hook(recording)
      const model = new OpenAIChatCompletionsModel(client(recording, false) as never, 'gpt-4o')
      const broken = tool({
        name: 'broken',
        description: 'Fails',
        parameters: z.object({}),
        execute: async () => Promise.reject(new Error('no map')),
      })
      const expert = new Agent({ name: 'expert', model, tools: [broken] })
      await expect(
        run(new Agent({ name: 'clerk', model, handoffs: [expert] }), question, { maxTurns: 2 }),
      ).rejects.toThrow(MaxTurnsExceededError)
    },
  )
  await ended(recording)
  expect(recording.steps.find(({ name }) => name === 'handoff')).toMatchObject({
    input: { from: 'clerk' },
    output: { to: 'expert' },
  })
  expect(recording.steps.find(({ type }) => type === 'tool')?.error).toContain('Error running tool')
  expect(recording.steps.some(({ name, error }) => name === 'expert' && error !== undefined)).toBe(
    true,
  )
})

for (const isTapped of [false, true])
  test(`a repetition after 429 is one call${isTapped ? ', with its attempts where stepwell.fetch tells of them' : ''}`, async () => {
    const busy = json({ error: { message: 'Slow down' } }, 429, { 'retry-after-ms': '1' })
    const recording = await sameWithAndWithout(server, [busy, json(CHAT)], async (recording) => {
      hook(recording)
      const openai = client(recording, isTapped, 1)
      const model = new OpenAIChatCompletionsModel(openai as never, 'gpt-4o')
      return (await run(new Agent({ name: 'clerk', model }), question)).finalOutput
    })
    await ended(recording)
    expect(recording.asked).toHaveLength(2)
    const calls = recording.steps.filter(({ type }) => type === 'llm')
    expect(calls).toMatchObject([{ error: undefined, generation: { tokenCount: 25 } }])
    if (isTapped)
      expect(calls).toMatchObject([
        { metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } } },
      ])
  })

test('a run that is aborted has failed, and so has its call', async () => {
  let abort = () => {}
  const recording = await sameWithAndWithout(server, [() => abort()], async (recording) => {
    hook(recording)
    const model = new OpenAIChatCompletionsModel(client(recording, false) as never, 'gpt-4o')
    const controller = new AbortController()
    abort = () => controller.abort()
    await run(new Agent({ name: 'clerk', model }), question, { signal: controller.signal })
  })
  await ended(recording)
  expect(recording.steps.map(({ type, error }) => [type, /abort/i.test(String(error))])).toEqual([
    ['run', true],
    ['run', true],
    ['llm', true],
  ])
})

test('a guardrail that lets pass, and one that stops the run', async () => {
  const guarded = (tripwireTriggered: boolean) =>
    sameWithAndWithout(server, [json(CHAT)], async (recording) => {
      hook(recording)
      const model = new OpenAIChatCompletionsModel(client(recording, false) as never, 'gpt-4o')
      const agent = new Agent({
        name: 'clerk',
        model,
        inputGuardrails: [
          {
            name: 'polite',
            runInParallel: false,
            execute: async () => ({ outputInfo: 'checked', tripwireTriggered }),
          },
        ],
      })
      const running = run(agent, question)
      if (tripwireTriggered) await expect(running).rejects.toThrow(InputGuardrailTripwireTriggered)
      else return (await running).finalOutput
    })
  const passed = await guarded(false)
  await ended(passed)
  expect(passed.steps.find(({ name }) => name === 'polite')).toMatchObject({
    error: undefined,
    output: { triggered: false },
  })
  expect(passed.steps.filter(({ error }) => error !== undefined)).toEqual([])
  const stopped = await guarded(true)
  await ended(stopped)
  expect(stopped.asked).toEqual([])
  expect(stopped.steps.find(({ name }) => name === 'polite')).toMatchObject({
    output: { triggered: true },
  })
  expect(stopped.steps.find(({ name }) => name === 'clerk')?.error).toMatch(/guardrail/i)
})

test('a stream that is left ends after a time of silence, with what came', async () => {
  server.plays(openStream(CHAT_STREAM.slice(0, 3)))
  const recording = recordInMemory({ streamTimeoutMs: 2000 })
  hook(recording)
  const model = new OpenAIChatCompletionsModel(client(recording, true) as never, 'gpt-4o')
  const result = await run(new Agent({ name: 'clerk', model }), question, { stream: true })
  await take(result.toTextStream() as AsyncIterable<string>, 1)
  await ended(recording)
  expect(recording.steps.at(-1)).toMatchObject({
    type: 'llm',
    generation: { messageCompletion: { content: expect.stringContaining('On its') } },
  })
})
