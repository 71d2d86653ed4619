import { FunctionCallingConfigMode, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { GoogleGenAI as GoogleGenAI2 } from 'google-genai-2'
import { expect, test } from 'vitest'
import { json, openStream, stream, useModelServer } from '../test/support/model-server.js'
import { GEMINI, GEMINI_STREAM, GEMINI_TEXT } from './support/answers.js'
import { sameWithAndWithout } from './support/same.js'

const server = useModelServer()
const question = 'Where is my order?'
const declaration = {
  name: 'weather',
  description: 'The weather of a city',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
}
const request = {
  model: 'gemini-flash',
  contents: question,
  config: {
    systemInstruction: 'Be short.',
    temperature: 0.1,
    tools: [{ functionDeclarations: [declaration] }],
  },
}
const call = (city: string) => ({ functionCall: { name: 'weather', args: { city } } })
const answered = (...parts: object[]) => ({
  ...GEMINI,
  candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
})
const called = (city: string) => ({
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
})
const GENERATION = {
  type: 'CHAT',
  provider: 'google',
  model: 'gemini-2.5-flash',
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: question },
  ],
  messageCompletion: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Orders have numbers.' },
      { type: 'text', text: 'On its way.' },
    ],
    tool_calls: [called('Oslo')],
  },
  inputTokenCount: 40,
  outputTokenCount: 10,
  tokenCount: 50,
}
const shown = (answer: GenerateContentResponse | undefined) => [
  answer?.candidates,
  answer?.usageMetadata,
]
const read = async (pieces: AsyncIterable<GenerateContentResponse>) => {
  const all: unknown[] = []
  for await (const piece of pieces) all.push(shown(piece))
  return all
}

const VERSIONS = { 2: GoogleGenAI2 as unknown as typeof GoogleGenAI, 3: GoogleGenAI }

for (const [version, Client] of Object.entries(VERSIONS)) {
  const run = (
    plays: Parameters<typeof sameWithAndWithout>[1],
    program: (client: GoogleGenAI) => Promise<unknown>,
    retryOptions?: { attempts: number; initialDelay: number },
  ) =>
    sameWithAndWithout(server, plays, (fetch) => {
      const httpOptions = {
        baseUrl: server.url,
        fetch,
        ...(retryOptions === undefined ? {} : { retryOptions }),
      }
      return program(new Client({ apiKey: 'key', httpOptions }))
    })

  test(`google-genai ${version}: an answer with thoughts and a call of a function`, async () => {
    const { steps } = await run([json(GEMINI)], async (client) =>
      shown(await client.models.generateContent(request)),
    )
    expect(steps).toMatchObject([
      {
        type: 'llm',
        name: 'chat gemini-flash',
        isOpen: false,
        error: undefined,
        generation: {
          ...GENERATION,
          tools: [{ functionDeclarations: [{ name: 'weather' }] }],
          settings: { generationConfig: { temperature: 0.1 } },
        },
        metadata: { modelCall: { api: 'gemini.generate', status: 200, finishReason: 'STOP' } },
      },
    ])
  })

  test(`google-genai ${version}: a stream to its end, and one that the application leaves`, async () => {
    const whole = await run([stream(GEMINI_STREAM, 33)], async (client) =>
      read(await client.models.generateContentStream(request)),
    )
    expect(whole.result).toHaveLength(GEMINI_STREAM.length)
    expect(whole.steps).toMatchObject([{ isOpen: false, error: undefined, generation: GENERATION }])
    expect(whole.steps[0]?.generation?.ttFirstToken).toBeGreaterThan(0)
    const left = await run([openStream(GEMINI_STREAM.slice(0, 3))], async (client) => {
      for await (const { text } of await client.models.generateContentStream(request))
        if (text !== undefined) break
    })
    expect(left.steps).toMatchObject([
      {
        isOpen: false,
        error: undefined,
        generation: {
          messageCompletion: { content: [{ type: 'thinking' }, { type: 'text', text: 'On its' }] },
          inputTokenCount: 40,
        },
        metadata: { modelCall: { ended: 'cancelled' } },
      },
    ])
  })

  test(`google-genai ${version}: a chat has a step for each message, with what was said before`, async () => {
    const { steps } = await run(
      [json(GEMINI_TEXT), stream([answered({ text: 'Today' }), answered({ text: '.' })])],
      async (client) => {
        const chat = client.chats.create({ model: 'gemini-flash' })
        const first = await chat.sendMessage({ message: question })
        const second = await read(await chat.sendMessageStream({ message: 'When?' }))
        return [shown(first), second, chat.getHistory().length]
      },
    )
    expect(steps).toHaveLength(2)
    expect(steps[1]).toMatchObject({
      isOpen: false,
      generation: {
        messages: [
          { role: 'user', content: question },
          { role: 'assistant', content: 'On its way.' },
          { role: 'user', content: 'When?' },
        ],
        messageCompletion: { role: 'assistant', content: 'Today.' },
      },
    })
  })

  test(`google-genai ${version}: functions that the client calls by itself are in the second request`, async () => {
    const { steps } = await run(
      [json(answered(call('Oslo'), call('Rome'))), json(GEMINI_TEXT)],
      async (client) => {
        const { text } = await client.models.generateContent({
          ...request,
          config: {
            toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
            tools: [
              {
                tool: async () => ({ functionDeclarations: [declaration] }),
                callTool: async (calls) =>
                  calls.map(({ args }) => ({
                    functionResponse: {
                      name: 'weather',
                      response: { output: `Rain in ${args?.city}` },
                    },
                  })),
              },
            ],
          },
        })
        return text
      },
    )
    expect(steps).toMatchObject([
      { generation: { messageCompletion: { tool_calls: [called('Oslo'), called('Rome')] } } },
      {
        generation: {
          messages: [
            { role: 'user' },
            { role: 'assistant', tool_calls: [called('Oslo'), called('Rome')] },
            { role: 'tool', name: 'weather', content: '{"output":"Rain in Oslo"}' },
            { role: 'tool', name: 'weather', content: '{"output":"Rain in Rome"}' },
          ],
          messageCompletion: { content: 'On its way.' },
        },
      },
    ])
  })

  test(`google-genai ${version}: embeddings are kept by their number and length`, async () => {
    const { steps } = await run(
      [json({ embeddings: [{ values: [0.1, 0.2] }, { values: [0.3, 0.4] }] })],
      async (client) => {
        const { embeddings } = await client.models.embedContent({
          model: 'gemini-embedding-001',
          contents: ['a', 'b'],
        })
        return embeddings
      },
    )
    expect(steps).toMatchObject([
      {
        type: 'embedding',
        output: { embeddings: 2, dimensions: 2 },
        generation: { provider: 'google', model: expect.stringContaining('gemini-embedding-001') },
      },
    ])
  })

  test(`google-genai ${version}: an error of the model, one within a stream, and a repetition after 429`, async () => {
    const refusal = { error: { code: 400, message: 'Too long', status: 'INVALID_ARGUMENT' } }
    const refused = await run([json(refusal, 400)], (client) =>
      client.models.generateContent(request),
    )
    expect(refused.steps).toMatchObject([
      {
        isOpen: false,
        error: expect.stringContaining('Too long'),
        generation: { messages: GENERATION.messages },
      },
    ])
    const late = await run([stream([...GEMINI_STREAM.slice(0, 3), refusal])], async (client) =>
      read(await client.models.generateContentStream(request)),
    )
    expect(late.steps).toMatchObject([
      {
        isOpen: false,
        error: expect.stringContaining('Too long'),
        generation: { messageCompletion: { content: [{}, { text: 'On its' }] } },
      },
    ])
    const busy = json({ error: { code: 429, message: 'Slow down' } }, 429)
    const saved = await run(
      [busy, json(GEMINI_TEXT)],
      async (client) => (await client.models.generateContent(request)).text,
      { attempts: 2, initialDelay: 0.001 },
    )
    expect(saved.steps).toMatchObject([
      {
        error: undefined,
        generation: { tokenCount: 50 },
        metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } },
      },
    ])
  })

  test(`google-genai ${version}: a call that is aborted has failed, and keeps what came`, async () => {
    const silent = await run([() => {}], (client) =>
      client.models.generateContent({
        ...request,
        config: { abortSignal: server.limit() },
      }),
    )
    expect(silent.steps).toMatchObject([
      { isOpen: false, error: expect.stringMatching(/abort/i), generation: { type: 'CHAT' } },
    ])
    const streamed = await run([openStream(GEMINI_STREAM.slice(0, 3))], async (client) => {
      const controller = new AbortController()
      const config = { abortSignal: controller.signal }
      for await (const { text } of await client.models.generateContentStream({
        ...request,
        config,
      }))
        if (text !== undefined) controller.abort()
    })
    expect(streamed.steps).toMatchObject([
      {
        isOpen: false,
        generation: { messageCompletion: { content: [{}, { text: 'On its' }] } },
      },
    ])
  })
}
