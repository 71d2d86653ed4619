import { expect, test } from 'vitest'
import { z } from 'zod'
import { type Recording, recordInMemory } from '../../src/testing/index.js'
import { eventually } from '../../test/support/eventually.js'
import { json, openStream, stream, useModelServer } from '../../test/support/model-server.js'
import { CHAT, CHAT_STREAM, CHAT_WITH_TOOLS, TOOL_CALLS, TOOL_STREAM } from '../support/answers.js'
import { VERSIONS } from './ai-sdk-versions.js'
import { outline, read, sameWithAndWithout, take } from './support.js'

const server = useModelServer()
const question = 'Where is my order?'
const messages = [{ role: 'user', content: question }]

for (const { name: version, ai, create, hooked: hookedBy } of VERSIONS) {
  const model = (fetch?: typeof globalThis.fetch) =>
    create({ apiKey: 'key', baseURL: `${server.url}/v1`, ...(fetch && { fetch }) }).chat('gpt-4o')
  const hooked = (recording: Pick<Recording, 'stepwell'> | undefined) =>
    hookedBy(recording, { functionId: 'answer', metadata: { plan: 'team' } })
  const base = { temperature: 0.1, prompt: question, maxRetries: 0 }
  const weather = (recording: Recording | undefined) => ({
    weather: ai.tool({
      description: 'The weather of a city',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) =>
        recording === undefined
          ? `Rain in ${city}`
          : recording.stepwell.trace(`look at ${city}`, async () => `Rain in ${city}`),
    }),
  })

  test(`ai ${version}: generateText is a run with a model call in it`, async () => {
    const { steps, tree } = await sameWithAndWithout(server, [json(CHAT)], async (recording) => {
      const { text, usage, finishReason } = await ai.generateText({
        ...base,
        system: 'Be short.',
        model: model(),
        ...hooked(recording),
      })
      return { text, usage, finishReason }
    })
    expect(outline(tree())).toEqual(['answer (run)', '  chat gpt-4o (llm) 25 tokens'])
    expect(steps[0]).toMatchObject({ output: { role: 'assistant', content: 'On its way.' } })
    if (version !== '7') expect(steps[0]?.metadata).toEqual({ plan: 'team' })
    expect(steps[1]).toMatchObject({
      isOpen: false,
      generation: {
        type: 'CHAT',
        provider: 'openai',
        model: 'gpt-4o-2024-08-06',
        messages: [{ role: 'system', content: 'Be short.' }, ...messages],
        messageCompletion: { role: 'assistant', content: 'On its way.' },
        settings: { temperature: 0.1 },
        inputTokenCount: 20,
        outputTokenCount: 5,
        // Version 5 has sums alone.
        usage:
          version === '5'
            ? { input: 20, output: 5, total: 25 }
            : { input: 12, cached: 8, output: 3, reasoning: 2, total: 25 },
        tokenCount: 25,
      },
    })
  })

  test(`ai ${version}: parallel tools, and the steps that they make`, async () => {
    const { steps, tree } = await sameWithAndWithout(
      server,
      [json(CHAT_WITH_TOOLS), json(CHAT)],
      async (recording) => {
        const { text } = await ai.generateText({
          ...base,
          model: model(),
          tools: weather(recording),
          stopWhen: ai.stepCountIs(3),
          ...hooked(recording),
        })
        return text
      },
    )
    expect(outline(tree())).toEqual([
      'answer (run)',
      '  chat gpt-4o (llm) 25 tokens',
      '  weather (tool)',
      '    look at Oslo',
      '  weather (tool)',
      '    look at Rome',
      '  chat gpt-4o (llm) 25 tokens',
    ])
    expect(steps[1]?.generation).toMatchObject({
      messageCompletion: { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
      tools: [{ name: 'weather' }],
    })
    expect(steps[2]).toMatchObject({ input: { city: 'Oslo' }, output: { output: 'Rain in Oslo' } })
    expect(steps.at(-1)?.generation?.messages).toEqual([
      ...messages,
      { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
      { role: 'tool', tool_call_id: 'call_1', name: 'weather', content: 'Rain in Oslo' },
      { role: 'tool', tool_call_id: 'call_2', name: 'weather', content: 'Rain in Rome' },
    ])
  })

  test(`ai ${version}: streamText to its end, with tools`, async () => {
    const { steps, tree } = await sameWithAndWithout(
      server,
      [stream(TOOL_STREAM, 100), stream(CHAT_STREAM, 33)],
      async (recording) => {
        const result = ai.streamText({
          ...base,
          model: model(),
          tools: weather(recording),
          stopWhen: ai.stepCountIs(3),
          ...hooked(recording),
        })
        return await read(result.textStream)
      },
    )
    await eventually(() => expect(steps.every(({ isOpen }) => !isOpen)).toBe(true))
    expect(outline(tree())).toEqual([
      'answer (run)',
      '  chat gpt-4o (llm) 25 tokens',
      '  weather (tool)',
      '    look at Oslo',
      '  weather (tool)',
      '    look at Rome',
      '  chat gpt-4o (llm) 25 tokens',
    ])
    const { ttFirstToken, duration } = steps.at(-1)?.generation ?? {}
    expect(ttFirstToken).toBeGreaterThan(0)
    expect(ttFirstToken).toBeLessThanOrEqual((duration ?? 0) * 1000)
  })

  test(`ai ${version}: a stream that is left ends after a time of silence`, async () => {
    server.plays(openStream(CHAT_STREAM.slice(0, 3)))
    const recording = recordInMemory({ streamTimeoutMs: 100 })
    const result = ai.streamText({ ...base, model: model(), ...hooked(recording) })
    await take(result.textStream, 1)
    await eventually(() => expect(recording.steps.some(({ isOpen }) => isOpen)).toBe(false))
    expect(recording.steps.at(-1)).toMatchObject({
      type: 'llm',
      metadata: { ended: 'abandoned' },
      generation: { messages },
    })
  })

  test(`ai ${version}: with stepwell.fetch, a stream that is left keeps what came`, async () => {
    server.plays(openStream(CHAT_STREAM.slice(0, 3)))
    const recording = recordInMemory({ streamTimeoutMs: 2000 })
    const asking = model(recording.stepwell.fetch)
    const result = ai.streamText({ ...base, model: asking, ...hooked(recording) })
    await take(result.textStream, 1)
    await eventually(() => expect(recording.steps.some(({ isOpen }) => isOpen)).toBe(false))
    expect(recording.steps.at(-1)).toMatchObject({
      type: 'llm',
      generation: { messageCompletion: { content: expect.stringContaining('On its') } },
    })
  })

  test(`ai ${version}: an error of the model, repeated or not, and an abort`, async () => {
    const refused = json({ error: { message: 'Too long', type: 'invalid_request_error' } }, 400)
    const failed = await sameWithAndWithout(server, [refused], (recording) =>
      ai.generateText({ ...base, model: model(), ...hooked(recording) }),
    )
    expect(failed.steps).toMatchObject([
      { type: 'run', error: expect.stringContaining('Too long') },
      { type: 'llm', error: expect.stringContaining('Too long'), generation: { messages } },
    ])
    const busy = json({ error: { message: 'Slow down' } }, 429, { 'retry-after-ms': '1' })
    const saved = await sameWithAndWithout(server, [busy, json(CHAT)], async (recording) => {
      const { text } = await ai.generateText({
        ...base,
        maxRetries: 1,
        model: model(),
        ...hooked(recording),
      })
      return text
    })
    expect(saved.steps).toMatchObject([
      { type: 'run', error: undefined },
      // Version 7 tells of repetitions as one call.
      ...(version === '7' ? [] : [{ type: 'llm', error: expect.stringContaining('Slow down') }]),
      { type: 'llm', error: undefined, generation: { tokenCount: 25 } },
    ])
    const aborted = await sameWithAndWithout(server, [() => {}], (recording) =>
      ai.generateText({
        ...base,
        model: model(),
        abortSignal: server.limit(),
        ...hooked(recording),
      }),
    )
    expect(aborted.steps).toMatchObject([
      { isOpen: false, error: expect.stringMatching(/abort/i) },
      { isOpen: false, error: expect.stringMatching(/abort/i) },
    ])
  })

  test(`ai ${version}: a tool that fails has the error, and the run goes on`, async () => {
    const { steps } = await sameWithAndWithout(
      server,
      [json(CHAT_WITH_TOOLS), json(CHAT)],
      async (recording) => {
        const { text } = await ai.generateText({
          ...base,
          model: model(),
          tools: {
            weather: ai.tool({
              inputSchema: z.object({ city: z.string() }),
              execute: async ({ city }): Promise<string> => {
                throw new Error(`no map of ${city}`)
              },
            }),
          },
          stopWhen: ai.stepCountIs(3),
          ...hooked(recording),
        })
        return text
      },
    )
    const tools = steps.filter(({ type }) => type === 'tool')
    expect(tools.map(({ error }) => String(error))).toEqual([
      expect.stringContaining('no map'),
      expect.stringContaining('no map'),
    ])
    expect(steps[0]).toMatchObject({ type: 'run', error: undefined })
  })

  test(`ai ${version}: a request is sent inside the step of its model call`, async () => {
    const places: unknown[] = []
    const { steps } = await sameWithAndWithout(server, [json(CHAT)], async (recording) => {
      const asking = model((input, init) => {
        places.push(recording?.stepwell.currentStep?.id)
        return fetch(input, init)
      })
      const texts = await Promise.all(
        ['a', 'b'].map((prompt) =>
          ai.generateText({ ...base, prompt, model: asking, ...hooked(recording) }),
        ),
      )
      return texts.map(({ text }) => text)
    })
    expect(new Set(places.filter(Boolean))).toEqual(
      new Set(steps.filter(({ type }) => type === 'llm').map(({ id }) => id)),
    )
  })

  test(`ai ${version}: objects and embeddings`, async () => {
    const message = { role: 'assistant', content: '{"city":"Oslo"}' }
    const { steps } = await sameWithAndWithout(
      server,
      [
        json({ ...CHAT, choices: [{ ...CHAT.choices[0], message }] }),
        json({
          object: 'list',
          model: 'text-embedding-3-small',
          data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
          usage: { prompt_tokens: 3, total_tokens: 3 },
        }),
      ],
      async (recording) => {
        const { object } = await ai.generateObject({
          ...base,
          model: model(),
          schema: z.object({ city: z.string() }),
          ...hooked(recording),
        })
        const embedder = create({ apiKey: 'key', baseURL: `${server.url}/v1` }).textEmbeddingModel(
          'text-embedding-3-small',
        )
        const { embedding } = await ai.embed({ model: embedder, value: 'a', ...hooked(recording) })
        return [object, embedding]
      },
    )
    expect(steps).toMatchObject([
      { type: 'run', output: { city: 'Oslo' } },
      { type: 'llm', generation: { messageCompletion: message, tokenCount: 25 } },
      { type: 'run' },
      {
        type: 'embedding',
        name: 'embedding text-embedding-3-small',
        input: { input: ['a'] },
        output: { embeddings: 1 },
        generation: { tokenCount: 3 },
      },
    ])
  })

  test(`ai ${version}: with stepwell.fetch too, a call is one step, and its tokens count once`, async () => {
    const { steps, tree } = await sameWithAndWithout(
      server,
      [json(CHAT_WITH_TOOLS), stream(CHAT_STREAM, 33)],
      async (recording) => {
        const asking = model(recording?.stepwell.fetch)
        const { toolCalls } = await ai.generateText({
          ...base,
          model: asking,
          tools: { weather: ai.tool({ inputSchema: z.object({ city: z.string() }) }) },
          ...hooked(recording),
        })
        const text = await read(
          ai.streamText({ ...base, model: asking, ...hooked(recording) }).textStream,
        )
        return [toolCalls.map(({ toolName }) => toolName), text]
      },
    )
    await eventually(() => expect(steps.every(({ isOpen }) => !isOpen)).toBe(true))
    expect(outline(tree())).toEqual([
      'answer (run)',
      '  chat gpt-4o (llm) 25 tokens',
      'answer (run)',
      '  chat gpt-4o (llm) 25 tokens',
    ])
    expect(steps[1]).toMatchObject({
      generation: { model: 'gpt-4o-2024-08-06', messageCompletion: { tool_calls: TOOL_CALLS } },
      metadata: { modelCall: { api: 'openai.chat', status: 200 } },
    })
  })

  test(`ai ${version}: objects and embeddings are single steps with stepwell.fetch too`, async () => {
    const message = { role: 'assistant', content: '{"city":"Oslo"}' }
    server.plays(
      json({ ...CHAT, choices: [{ ...CHAT.choices[0], message }] }),
      json({
        object: 'list',
        model: 'text-embedding-3-small',
        data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
        usage: { prompt_tokens: 3, total_tokens: 3 },
      }),
    )
    const recording = recordInMemory()
    const provider = create({
      apiKey: 'key',
      baseURL: `${server.url}/v1`,
      fetch: recording.stepwell.fetch,
    })
    await ai.generateObject({
      ...base,
      model: provider.chat('gpt-4o'),
      schema: z.object({ city: z.string() }),
      ...hooked(recording),
    })
    await ai.embed({
      model: provider.textEmbeddingModel('text-embedding-3-small'),
      value: 'a',
      ...hooked(recording),
    })
    expect(outline(recording.tree())).toEqual([
      'answer (run)',
      '  chat gpt-4o (llm) 25 tokens',
      'answer (run)',
      '  embedding text-embedding-3-small (embedding)',
    ])
    expect(recording.steps.at(-1)?.generation?.tokenCount).toBe(3)
  })
}
