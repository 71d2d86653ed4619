import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { json, type Play, stream, useModelServer } from './support/model-server.js'

const server = useModelServer()
const messages = [{ role: 'user', content: 'Weather?' }]

/** Plays an object in each line. */
const lines =
  (values: readonly unknown[]): Play =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.end(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
  }

const asked = async (path: string, body: object, play: Play) => {
  const { stepwell, steps } = recordInMemory()
  server.plays(play)
  const request = { method: 'POST', body: JSON.stringify(body) }
  await (await stepwell.fetch(`${server.url}${path}`, request)).text()
  expect(steps).toHaveLength(1)
  expect(steps[0]?.isOpen).toBe(false)
  return steps[0]
}

const weather = (id?: string) => ({
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Oslo"}' },
})

test('Ollama: a chat in lines, with thoughts and a call of a tool', async () => {
  const step = await asked(
    '/api/chat',
    { model: 'qwen3', messages, options: { temperature: 0 } },
    lines([
      {
        model: 'qwen3',
        message: { role: 'assistant', content: '', thinking: 'Oslo ' },
        done: false,
      },
      {
        model: 'qwen3',
        message: { role: 'assistant', content: '', thinking: 'it is' },
        done: false,
      },
      { model: 'qwen3', message: { role: 'assistant', content: 'Let me ' }, done: false },
      {
        model: 'qwen3',
        message: {
          role: 'assistant',
          content: 'look.',
          tool_calls: [{ function: { name: 'weather', arguments: { city: 'Oslo' } } }],
        },
        done: false,
      },
      {
        model: 'qwen3',
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 11,
        eval_count: 7,
      },
    ]),
  )
  expect(step).toMatchObject({
    generation: {
      provider: 'ollama',
      model: 'qwen3',
      messages,
      settings: { options: { temperature: 0 } },
      messageCompletion: {
        role: 'assistant',
        content: 'Let me look.',
        thinking: 'Oslo it is',
        tool_calls: [weather()],
      },
      usage: { input: 11, output: 7, total: 18 },
    },
    metadata: { modelCall: { finishReason: 'stop' } },
  })
})

test('Ollama: a completion and vectors', async () => {
  expect(
    await asked(
      '/api/generate',
      { model: 'm', prompt: 'Once' },
      json({ model: 'm', response: ' upon', done: true, prompt_eval_count: 1, eval_count: 2 }),
    ),
  ).toMatchObject({
    generation: { type: 'COMPLETION', prompt: 'Once', completion: ' upon', tokenCount: 3 },
  })
  expect(
    await asked(
      '/api/embed',
      { model: 'm', input: ['a', 'b'] },
      json({
        model: 'm',
        embeddings: [
          [1, 2],
          [3, 4],
        ],
        prompt_eval_count: 4,
      }),
    ),
  ).toMatchObject({
    type: 'embedding',
    input: { input: ['a', 'b'] },
    output: { embeddings: 2, dimensions: 2 },
    generation: { inputTokenCount: 4 },
  })
})

test('Cohere: a chat as a stream and whole', async () => {
  const usage = {
    billed_units: { input_tokens: 5, output_tokens: 6 },
    tokens: { input_tokens: 50, output_tokens: 6 },
  }
  const expected = {
    generation: {
      provider: 'cohere',
      model: 'command-a',
      messageCompletion: {
        role: 'assistant',
        tool_plan: 'I look.',
        content: 'It rains.',
        tool_calls: [weather('call_1')],
      },
      inputTokenCount: 50,
      tokenCount: 56,
    },
    metadata: { modelCall: { finishReason: 'COMPLETE', responseId: 'c-1' } },
  }
  const event = (type: string, message: object, index = 0) => ({ type, index, delta: { message } })
  const call = (rest: object) => ({ tool_calls: { function: rest } })
  const streamed = await asked(
    '/v2/chat',
    { model: 'command-a', messages, stream: true },
    stream([
      { type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant' } } },
      event('tool-plan-delta', { tool_plan: 'I ' }),
      event('tool-plan-delta', { tool_plan: 'look.' }),
      event('content-start', { content: { type: 'text', text: '' } }),
      event('content-delta', { content: { text: 'It ' } }),
      event('content-delta', { content: { text: 'rains.' } }),
      event('content-end', {}),
      event('tool-call-start', {
        tool_calls: {
          id: 'call_1',
          type: 'function',
          function: { name: 'weather', arguments: '' },
        },
      }),
      event('tool-call-delta', call({ arguments: '{"city":' })),
      event('tool-call-delta', call({ arguments: '"Oslo"}' })),
      event('tool-call-end', {}),
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } },
    ]),
  )
  expect(streamed).toMatchObject(expected)
  const whole = await asked(
    '/v2/chat',
    { model: 'command-a', messages },
    json({
      id: 'c-1',
      finish_reason: 'COMPLETE',
      message: {
        ...expected.generation.messageCompletion,
        content: [{ type: 'text', text: 'It rains.' }],
      },
      usage,
    }),
  )
  expect(whole).toMatchObject({
    generation: { messageCompletion: { tool_plan: 'I look.' }, tokenCount: 56 },
  })
})

test('Cohere and Gemini: vectors', async () => {
  expect(
    await asked(
      '/v2/embed',
      { model: 'embed-v4', texts: ['a'], embedding_types: ['float'] },
      json({ embeddings: { float: [[1, 2, 3]] }, meta: { billed_units: { input_tokens: 2 } } }),
    ),
  ).toMatchObject({
    output: { embeddings: 1, dimensions: 3 },
    generation: { provider: 'cohere', inputTokenCount: 2 },
  })
  expect(
    await asked(
      '/v1beta/models/gemini-embedding-001:batchEmbedContents',
      { requests: [{ content: { parts: [{ text: 'a' }] } }] },
      json({ embeddings: [{ values: [1, 2] }] }),
    ),
  ).toMatchObject({
    type: 'embedding',
    output: { embeddings: 1, dimensions: 2 },
    generation: { provider: 'google', model: 'gemini-embedding-001' },
  })
})

test('Bedrock: a conversation with a tool', async () => {
  const toolUse = { toolUseId: 't-1', name: 'weather', input: { city: 'Oslo' } }
  const step = await asked(
    '/model/anthropic.claude-v1%3A0/converse',
    {
      system: [{ text: 'Be short.' }],
      messages: [
        { role: 'user', content: [{ text: 'Weather?' }] },
        { role: 'assistant', content: [{ toolUse }] },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 't-1', content: [{ text: 'Rain' }] } }],
        },
      ],
      inferenceConfig: { maxTokens: 100 },
    },
    json({
      output: { message: { role: 'assistant', content: [{ text: 'It rains.' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 30, outputTokens: 4, totalTokens: 34 },
    }),
  )
  expect(step).toMatchObject({
    name: 'chat anthropic.claude-v1:0',
    generation: {
      provider: 'bedrock',
      settings: { inferenceConfig: { maxTokens: 100 } },
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Weather?' },
        { role: 'assistant', content: null, tool_calls: [weather('t-1')] },
        { role: 'tool', tool_call_id: 't-1', content: 'Rain' },
      ],
      messageCompletion: { role: 'assistant', content: 'It rains.' },
      tokenCount: 34,
    },
  })
})

test('Gemini: a stream that is one list, with pictures and results of tools in the request', async () => {
  const piece = (text: string, rest: object = {}) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...rest }],
    usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
    modelVersion: 'gemini-2.5-pro',
  })
  const step = await asked(
    '/v1beta/models/gemini-2.5-pro:streamGenerateContent',
    {
      systemInstruction: { parts: [{ text: 'Be short.' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
        },
        { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'weather', response: { rain: true } } }],
        },
      ],
      generationConfig: { temperature: 1 },
    },
    json([piece('It '), piece('rains.', { finishReason: 'STOP' })]),
  )
  expect(step).toMatchObject({
    generation: {
      model: 'gemini-2.5-pro',
      settings: { generationConfig: { temperature: 1 } },
      messages: [
        { role: 'system', content: 'Be short.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [weather()] },
        { role: 'tool', name: 'weather', content: '{"rain":true}' },
      ],
      messageCompletion: { role: 'assistant', content: 'It rains.' },
      inputTokenCount: 9,
    },
  })
})

test('a completion in a stream, and several choices', async () => {
  const text = (value: string, index = 0) => ({
    id: 'cmpl-1',
    model: 'm',
    choices: [{ index, text: value, finish_reason: null }],
  })
  expect(
    await asked(
      '/v1/completions',
      { model: 'm', prompt: ['Once'], stream: true },
      stream([text(' upon'), text(' a time'), '[DONE]']),
    ),
  ).toMatchObject({
    name: 'text_completion m',
    generation: { type: 'COMPLETION', prompt: 'Once', completion: ' upon a time' },
  })
  const choice = (index: number, content: string) => ({
    index,
    message: { role: 'assistant', content },
    finish_reason: 'stop',
  })
  expect(
    await asked(
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'developer', content: 'Be short.' }], n: 2 },
      json({ model: 'm', choices: [choice(0, 'one'), choice(1, 'two')] }),
    ),
  ).toMatchObject({
    output: { choices: [{ content: 'one' }, { content: 'two' }] },
    generation: {
      messages: [{ role: 'system', content: 'Be short.' }],
      messageCompletion: { content: 'one' },
    },
  })
})

test('an answer that is no JSON, or broken in the middle, costs nothing but its own content', async () => {
  for (const play of [
    json('<html>busy</html>'),
    json('{"choices":[{"message":'),
    stream(['{"choices":[{', '[]', 'null', '{"choices":{"0":1}}', '[DONE]']),
  ]) {
    const step = await asked('/v1/chat/completions', { model: 'm', messages }, play)
    expect(step).toMatchObject({ error: undefined, generation: { messages } })
    expect(step?.generation?.messageCompletion).toBeUndefined()
    expect(step?.generation?.usage).toBeUndefined()
  }
})

test.each([
  ['OpenRouter and LiteLLM', { cost: 0.000145215 }, 0.000145215],
  ['Perplexity', { cost: { total_cost: 0.006, request_cost: 0.005 } }, 0.006],
  [
    'OpenRouter with a key of one’s own',
    { cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.19 } },
    0.2,
  ],
  ['a model that is free', { cost: 0 }, 0],
  ['a fee without the rest', { cost: 0.01, is_byok: true, cost_details: {} }, undefined],
  ['no number', { cost: '1' }, undefined],
  ['a number that can be no cost', { cost: -1 }, undefined],
  ['one that the service would reject', { cost: 1e6 }, undefined],
  ['nothing', {}, undefined],
])('the cost that an answer tells is that of its call: %s', async (_, told, cost) => {
  const usage = { prompt_tokens: 3, completion_tokens: 1, ...told }
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Rain.' } }]
  const chat = (body: object, play: Play) =>
    asked('/api/v1/chat/completions', { model: 'm', messages, ...body }, play)
  const whole = await chat({}, json({ model: 'm', choices, usage }))
  expect(whole?.generation).toMatchObject({ inputTokenCount: 3 })
  expect(whole?.generation?.cost).toBe(cost)
  const streamed = await chat(
    { stream: true },
    stream([
      { model: 'm', choices: [{ index: 0, delta: { content: 'Rain.' } }] },
      { model: 'm', choices: [], usage },
      '[DONE]',
    ]),
  )
  expect(streamed?.generation?.cost).toBe(cost)
  const responses = await asked(
    '/api/v1/responses',
    { model: 'm', input: 'Weather?' },
    json({ model: 'm', output: [], usage: { input_tokens: 3, output_tokens: 1, ...told } }),
  )
  expect(responses?.generation?.cost).toBe(cost)
})

test('a cost that an application records is that of its call; one that the service would reject is withheld alone', () => {
  const { stepwell, steps } = recordInMemory({ onReport: () => undefined })
  for (const cost of [0.25, -1, 10_000]) {
    const step = stepwell.step({ type: 'llm', name: 'call' })
    step.generation = { model: 'm', cost }
    step.end()
  }
  expect(steps.map(({ generation }) => [generation?.model, generation?.cost])).toEqual([
    ['m', 0.25],
    ['m', undefined],
    ['m', undefined],
  ])
})
