import { embed, generateText, jsonSchema, streamText, tool } from 'ai-6'
import { createAnthropic } from 'ai-sdk-anthropic-3'
import { createGoogleGenerativeAI } from 'ai-sdk-google-3'
import { createOpenAI } from 'ai-sdk-openai-3'
import { expect, test } from 'vitest'
import { json, openStream, stream, useModelServer } from '../test/support/model-server.js'
import {
  CHAT,
  CHAT_STREAM,
  CHAT_WITH_TOOLS,
  CLAUDE,
  CLAUDE_STREAM,
  GEMINI,
  GEMINI_STREAM,
  RESPONSE,
  RESPONSE_STREAM,
} from './support/answers.js'
import { sameWithAndWithout } from './support/same.js'

const server = useModelServer()
const weather = tool({
  description: 'Tells the weather',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
  }),
})
const prompt = 'Where is my order?'
const CALL = {
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Oslo"}' },
}
const THOUGHT = { type: 'thinking', thinking: 'Orders have numbers.' }

type Fetch = typeof fetch
const openai = (fetch: Fetch) => createOpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, fetch })
const PROVIDERS = {
  'OpenAI, chat': {
    model: (fetch: Fetch) => openai(fetch).chat('gpt-4o'),
    whole: json(CHAT),
    streamed: stream(CHAT_STREAM, 60),
    beginning: openStream(CHAT_STREAM.slice(0, 2)),
    generation: {
      provider: '127.0.0.1',
      model: 'gpt-4o-2024-08-06',
      messageCompletion: { role: 'assistant', content: 'On its way.' },
      inputTokenCount: 20,
      outputTokenCount: 5,
    },
  },
  'OpenAI, responses': {
    model: (fetch: Fetch) => openai(fetch).responses('gpt-5'),
    whole: json(RESPONSE),
    streamed: stream(RESPONSE_STREAM, 60),
    beginning: openStream(RESPONSE_STREAM.slice(0, 9)),
    generation: {
      provider: '127.0.0.1',
      model: 'gpt-5-2025-08-07',
      messageCompletion: {
        content: [THOUGHT, { type: 'text', text: 'On its way.' }],
        tool_calls: [CALL],
      },
      inputTokenCount: 30,
      outputTokenCount: 12,
    },
  },
  Anthropic: {
    model: (fetch: Fetch) =>
      createAnthropic({ apiKey: 'key', baseURL: `${server.url}/v1`, fetch })('claude-sonnet-4-5'),
    whole: json(CLAUDE),
    streamed: stream(CLAUDE_STREAM, 60),
    beginning: openStream(CLAUDE_STREAM.slice(0, 9)),
    generation: {
      provider: 'anthropic',
      model: 'claude-sonnet-4-5-20250929',
      messageCompletion: {
        content: [THOUGHT, { type: 'text', text: 'On its way.' }],
        tool_calls: [CALL, {}],
      },
      inputTokenCount: 1110,
      outputTokenCount: 50,
    },
  },
  Google: {
    model: (fetch: Fetch) =>
      createGoogleGenerativeAI({ apiKey: 'key', baseURL: `${server.url}/v1beta`, fetch })(
        'gemini-2.5-flash',
      ),
    whole: json(GEMINI),
    streamed: stream(GEMINI_STREAM, 60),
    beginning: openStream(GEMINI_STREAM.slice(0, 3)),
    generation: {
      provider: 'google',
      model: 'gemini-2.5-flash',
      messageCompletion: {
        content: [THOUGHT, { type: 'text', text: 'On its way.' }],
        tool_calls: [CALL],
      },
      inputTokenCount: 40,
      outputTokenCount: 10,
    },
  },
}

for (const [name, provider] of Object.entries(PROVIDERS)) {
  const asked = (fetch: Fetch) => ({
    model: provider.model(fetch),
    prompt,
    tools: { weather },
    maxRetries: 0,
  })

  test(`${name}: generateText`, async () => {
    const { steps, result } = await sameWithAndWithout(server, [provider.whole], async (fetch) => {
      const { text, toolCalls, usage } = await generateText(asked(fetch))
      return { text, calls: toolCalls.map(({ input }) => input), usage }
    })
    expect(result).toMatchObject({ text: 'On its way.' })
    expect(steps).toMatchObject([{ isOpen: false, generation: provider.generation }])
    const messages = steps[0]?.generation?.messages as unknown[]
    expect(JSON.stringify(messages)).toContain(prompt)
    expect(JSON.stringify(steps[0]?.generation?.tools)).toContain('Tells the weather')
    expect(result?.usage).toMatchObject({ outputTokens: provider.generation.outputTokenCount })
  })

  test(`${name}: streamText, read to its end`, async () => {
    const { steps } = await sameWithAndWithout(server, [provider.streamed], async (fetch) => {
      const result = streamText(asked(fetch))
      const pieces: string[] = []
      for await (const piece of result.textStream) pieces.push(piece)
      return [pieces, await result.finishReason, await result.usage]
    })
    expect(steps).toMatchObject([{ isOpen: false, generation: provider.generation }])
    expect(steps[0]?.generation?.ttFirstToken).toBeGreaterThan(0)
  })

  test(`${name}: streamText, aborted`, async () => {
    const { steps } = await sameWithAndWithout(server, [provider.beginning], async (fetch) => {
      const controller = new AbortController()
      const { fullStream } = streamText({ ...asked(fetch), abortSignal: controller.signal })
      for await (const part of fullStream) if (part.type === 'text-delta') controller.abort()
    })
    expect(steps).toMatchObject([{ isOpen: false }])
    expect(JSON.stringify(steps[0]?.generation?.messageCompletion)).toContain('On its')
  })

  test(`${name}: an error of the model, after repetitions`, async () => {
    const busy = json({ error: { message: 'Slow down', code: 429 } }, 429, {
      'retry-after-ms': '1',
    })
    const { steps } = await sameWithAndWithout(server, [busy, provider.whole], async (fetch) => {
      const { text } = await generateText({ ...asked(fetch), maxRetries: 1 })
      return text
    })
    expect(steps).toMatchObject([
      {
        error: undefined,
        generation: provider.generation,
        metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } },
      },
    ])
  })
}

test('a loop with tools has a step for each call, with what the tools said', async () => {
  const { steps } = await sameWithAndWithout(
    server,
    [json(CHAT_WITH_TOOLS), json(CHAT)],
    async (fetch) => {
      const first = await generateText({
        model: openai(fetch).chat('gpt-4o'),
        prompt,
        tools: { weather: { ...weather, execute: async ({ city }) => `Rain in ${city}` } },
        stopWhen: ({ steps: done }) => done.length === 2,
      })
      return first.text
    },
  )
  expect(steps).toHaveLength(2)
  expect(steps[1]?.generation?.messages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Rain in Oslo' },
    { role: 'tool', tool_call_id: 'call_2', content: 'Rain in Rome' },
  ])
})

test('embed', async () => {
  const { steps } = await sameWithAndWithout(
    server,
    [
      json({
        object: 'list',
        model: 'text-embedding-3-small',
        data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2, 0.3] }],
        usage: { prompt_tokens: 3, total_tokens: 3 },
      }),
    ],
    async (fetch) => {
      const { embedding } = await embed({
        model: openai(fetch).textEmbeddingModel('text-embedding-3-small'),
        value: 'a',
      })
      return embedding
    },
  )
  expect(steps).toMatchObject([
    {
      type: 'embedding',
      output: { embeddings: 1, dimensions: 3 },
      generation: { inputTokenCount: 3 },
    },
  ])
})
