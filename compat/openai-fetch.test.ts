import OpenAI4 from 'openai'
import OpenAI5 from 'openai-5'
import OpenAI6 from 'openai-6'
import OpenAI7 from 'openai-7'
import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { json, openStream, stream, useModelServer } from '../test/support/model-server.js'
import {
  CHAT,
  CHAT_STREAM,
  CHAT_WITH_TOOLS,
  RESPONSE,
  RESPONSE_STREAM,
  TOOL_CALLS,
  TOOL_STREAM,
} from './support/answers.js'
import { sameWithAndWithout } from './support/same.js'

const server = useModelServer()
const messages = [{ role: 'user' as const, content: 'Where is my order?' }]
const request = { model: 'gpt-4o', messages, temperature: 0.1 }
const tools = [
  {
    type: 'function' as const,
    function: { name: 'weather', parameters: { type: 'object', properties: {} } },
  },
]
const VERSIONS = { 4: OpenAI4, 5: OpenAI5, 6: OpenAI6, 7: OpenAI7 } as unknown as Record<
  string,
  typeof OpenAI6
>

/** Runs a program with a client of each version, with and without the recording. */
const withClient =
  (
    version: string,
    options: { maxRetries?: number } = {},
  ): ((
    plays: Parameters<typeof sameWithAndWithout>[1],
    program: (client: OpenAI6) => Promise<unknown>,
  ) => ReturnType<typeof sameWithAndWithout>) =>
  (plays, program) =>
    sameWithAndWithout(server, plays, (fetch) => {
      const OpenAI = VERSIONS[version] as typeof OpenAI6
      const baseURL = `${server.url}/v1`
      return program(new OpenAI({ apiKey: 'key', baseURL, fetch, maxRetries: 0, ...options }))
    })

const read = async (events: AsyncIterable<unknown>): Promise<unknown[]> => {
  const all: unknown[] = []
  for await (const event of events) all.push(event)
  return all
}

for (const version of Object.keys(VERSIONS)) {
  const run = withClient(version)

  test(`openai ${version}: a chat completion`, async () => {
    const { result, steps } = await run([json(CHAT)], async (client) => {
      const { data, response } = await client.chat.completions.create(request).withResponse()
      return [data, response.status, response.url, response.headers.get('content-type')]
    })
    expect((result as unknown[])[0]).toMatchObject(CHAT)
    expect(steps).toMatchObject([
      {
        type: 'llm',
        name: 'chat gpt-4o',
        generation: {
          type: 'CHAT',
          model: 'gpt-4o-2024-08-06',
          messages,
          messageCompletion: { role: 'assistant', content: 'On its way.' },
          settings: { temperature: 0.1 },
          inputTokenCount: 20,
          outputTokenCount: 5,
          tokenCount: 25,
        },
      },
    ])
  })

  test(`openai ${version}: parallel calls of tools, whole and in a stream`, async () => {
    const expected = {
      messageCompletion: { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
      tools,
      tokenCount: 25,
    }
    const whole = await run([json(CHAT_WITH_TOOLS)], (client) =>
      client.chat.completions.create({ ...request, tools }),
    )
    expect(whole.steps).toMatchObject([{ generation: expected }])
    const streamed = await run([stream(TOOL_STREAM, 100)], async (client) =>
      read(await client.chat.completions.create({ ...request, tools, stream: true })),
    )
    expect(streamed.result).toHaveLength(TOOL_STREAM.length - 1)
    expect(streamed.steps).toMatchObject([{ generation: expected }])
  })

  test(`openai ${version}: a stream to its end, and one that the application leaves`, async () => {
    const ask = (client: OpenAI6) => client.chat.completions.create({ ...request, stream: true })
    const whole = await run([stream(CHAT_STREAM, 33)], async (client) => read(await ask(client)))
    expect(whole.steps).toMatchObject([
      {
        isOpen: false,
        error: undefined,
        generation: { messageCompletion: { content: 'On its way.' }, tokenCount: 25 },
      },
    ])
    const left = await run([openStream(CHAT_STREAM.slice(0, 2))], async (client) => {
      for await (const _ of await ask(client)) if (_.choices[0]?.delta.content) break
    })
    expect(left.steps).toMatchObject([
      {
        isOpen: false,
        error: undefined,
        generation: { messageCompletion: { content: 'On its' } },
        metadata: { modelCall: { ended: 'cancelled' } },
      },
    ])
  })

  test(`openai ${version}: an error of the model, and one after repetitions`, async () => {
    const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)
    const { steps } = await run([refused], (client) => client.chat.completions.create(request))
    const error = 'HTTP 400: invalid_request_error: Too long'
    expect(steps).toMatchObject([{ error, generation: { error, messages } }])
    const repeating = withClient(version, { maxRetries: 1 })
    const busy = json({ error: { message: 'Slow down' } }, 429, { 'retry-after-ms': '1' })
    const ask = (client: OpenAI6) => client.chat.completions.create(request)
    const failed = await repeating([busy], ask)
    expect(failed.steps).toMatchObject([
      {
        error: 'HTTP 429: Slow down',
        metadata: { modelCall: { attempts: [{ status: 429 }, { status: 429 }] } },
      },
    ])
    const saved = await repeating([busy, json(CHAT)], ask)
    expect(saved.steps).toMatchObject([
      {
        error: undefined,
        generation: { tokenCount: 25 },
        metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } },
      },
    ])
  })

  test(`openai ${version}: an abort in the middle, and a time limit`, async () => {
    const aborted = await run([openStream(CHAT_STREAM.slice(0, 2))], async (client) => {
      const events = await client.chat.completions.create({ ...request, stream: true })
      for await (const _ of events) if (_.choices[0]?.delta.content) events.controller.abort()
    })
    expect(aborted.steps).toMatchObject([
      { isOpen: false, generation: { messageCompletion: { content: 'On its' } } },
    ])
    // A second, in which the request reaches the server on a machine that is busy too.
    const late = await run([() => {}], (client) =>
      client.chat.completions.create(request, { timeout: 1000 }),
    )
    expect(late.steps).toMatchObject([{ isOpen: false, error: expect.stringContaining('Abort') }])
  })

  test(`openai ${version}: embeddings and completions of a text`, async () => {
    const { steps } = await run(
      [
        json({
          object: 'list',
          model: 'text-embedding-3-small',
          data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
          usage: { prompt_tokens: 3, total_tokens: 3 },
        }),
        json({
          id: 'cmpl-1',
          object: 'text_completion',
          model: 'gpt-3.5-turbo-instruct',
          choices: [{ index: 0, text: ' there was', finish_reason: 'length' }],
          usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
        }),
      ],
      async (client) => {
        const input = ['a', 'b']
        const encoding_format = 'float' as const
        const model = 'text-embedding-3-small'
        await client.embeddings.create({ model, input, encoding_format })
        await client.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'Once' })
      },
    )
    expect(steps).toMatchObject([
      {
        type: 'embedding',
        input: { input: ['a', 'b'] },
        output: { embeddings: 1, dimensions: 2 },
        generation: { model: 'text-embedding-3-small', inputTokenCount: 3, tokenCount: 3 },
      },
      {
        type: 'llm',
        generation: { type: 'COMPLETION', prompt: 'Once', completion: ' there was', tokenCount: 4 },
      },
    ])
  })
}

for (const version of ['5', '6']) {
  const run = withClient(version)

  test(`openai ${version}: responses, whole and in a stream`, async () => {
    const ask = { model: 'gpt-5', instructions: 'Be short.', input: 'Where is my order?' }
    const expected = {
      model: 'gpt-5-2025-08-07',
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Where is my order?' },
      ],
      messageCompletion: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Orders have numbers.' },
          { type: 'text', text: 'On its way.' },
        ],
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Oslo"}' },
          },
        ],
      },
      inputTokenCount: 30,
      outputTokenCount: 12,
      tokenCount: 42,
    }
    const whole = await run([json(RESPONSE)], (client) => client.responses.create(ask))
    expect(whole.steps).toMatchObject([{ generation: expected }])
    const streamed = await run([stream(RESPONSE_STREAM, 200)], async (client) =>
      read(await client.responses.create({ ...ask, stream: true })),
    )
    expect(streamed.result).toHaveLength(RESPONSE_STREAM.length)
    expect(streamed.steps).toMatchObject([{ isOpen: false, generation: expected }])
    const cut = await run([stream(RESPONSE_STREAM.slice(0, 10))], async (client) =>
      read(await client.responses.create({ ...ask, stream: true })),
    )
    expect(cut.steps[0]?.generation?.messageCompletion).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Orders have numbers.' },
        { type: 'text', text: 'On its way.' },
      ],
    })
    expect(cut.steps[0]?.generation?.tokenCount).toBeUndefined()
  })

  test(`openai ${version}: the helpers stream, parse and runTools`, async () => {
    const streamed = await run([stream(CHAT_STREAM, 50)], async (client) => {
      const runner = client.chat.completions.stream({ ...request, stream: true })
      const pieces: string[] = []
      runner.on('content', (piece) => pieces.push(piece))
      return [await runner.finalChatCompletion(), pieces]
    })
    expect(streamed.steps).toMatchObject([
      { generation: { messageCompletion: { content: 'On its way.' } } },
    ])
    const answer = { ...CHAT.choices[0], message: { role: 'assistant', content: '{"a":1}' } }
    const parsed = await run([json({ ...CHAT, choices: [answer] })], (client) =>
      client.chat.completions.parse({
        ...request,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
        },
      }),
    )
    expect(parsed.steps).toMatchObject([
      {
        generation: {
          messageCompletion: { content: '{"a":1}' },
          settings: { response_format: { type: 'json_schema' } },
        },
      },
    ])
    const ran = await run([json(CHAT_WITH_TOOLS), json(CHAT)], (client) =>
      client.chat.completions
        .runTools({
          ...request,
          tools: [
            {
              type: 'function',
              function: {
                name: 'weather',
                parse: JSON.parse,
                parameters: { type: 'object', properties: {} },
                function: ({ city }: { city: string }) => `Rain in ${city}`,
              },
            },
          ],
        })
        .finalContent(),
    )
    expect(ran.result).toBe('On its way.')
    expect(ran.steps).toHaveLength(2)
    expect(ran.steps[1]?.generation?.messages).toMatchObject([
      messages[0],
      { role: 'assistant', tool_calls: TOOL_CALLS },
      { role: 'tool', tool_call_id: 'call_1', content: 'Rain in Oslo' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Rain in Rome' },
    ])
  })

  test(`openai ${version}: wrapClient gives a client whose calls are recorded, with its other options`, async () => {
    const OpenAI = VERSIONS[version] as typeof OpenAI6
    const { steps } = await sameWithAndWithout(server, [json(CHAT)], (fetch, { stepwell }) => {
      const plain = new OpenAI({ apiKey: 'key', baseURL: `${server.url}/v1`, maxRetries: 0 })
      const client = fetch === globalThis.fetch ? plain : stepwell.wrapClient(plain)
      return client.chat.completions.create(request)
    })
    expect(steps).toHaveLength(1)
  })

  test(`openai ${version}: wrapClient calls the fetch that the client was made with`, async () => {
    const OpenAI = VERSIONS[version] as typeof OpenAI6
    const { stepwell, steps } = recordInMemory()
    server.plays(json(CHAT))
    let calls = 0
    const client = new OpenAI({
      apiKey: 'key',
      baseURL: `${server.url}/v1`,
      fetch: (input, init) => {
        calls++
        return fetch(input, init)
      },
    })
    await stepwell.wrapClient(stepwell.wrapClient(client)).chat.completions.create(request)
    expect(calls).toBe(1)
    expect(steps).toHaveLength(1)
  })
}
