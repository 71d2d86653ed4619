// Spans of Genkit.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const { recorded } = useSpans()
const json = (value: unknown) => JSON.stringify(value)

const action = (kind: string, name: string, input: unknown, output: unknown) => ({
  'genkit:type': 'action',
  'genkit:metadata:subtype': kind,
  'genkit:name': name,
  'genkit:input': json(input),
  'genkit:output': json(output),
})
const WITHIN = { parentSpanId: '1'.repeat(16) }
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } }
const REQUEST = {
  messages: [
    { role: 'system', content: [{ text: 'Be kind.' }] },
    {
      role: 'user',
      content: [{ text: 'Weather here?' }, { media: { url: 'data:image/png;base64,iV' } }],
    },
    {
      role: 'model',
      content: [{ toolRequest: { name: 'weather', ref: 'c1', input: { city: 'Rome' } } }],
    },
    {
      role: 'tool',
      content: [{ toolResponse: { name: 'weather', ref: 'c1', output: { sky: 'sunny' } } }],
    },
  ],
  config: { temperature: 0.2, apiKey: 'secret' },
  tools: [{ name: 'weather', description: 'Looks up the sky.', inputSchema: SCHEMA }],
}
const answer = (usage: object) => ({
  finishReason: 'stop',
  message: { role: 'model', content: [{ reasoning: 'Hm.' }, { text: 'Take a hat.' }] },
  usage,
})

test('a call of a model has its messages, answer, tools, settings, provider and tokens in parts', async () => {
  const usage = {
    inputTokens: 100,
    cachedContentTokens: 40,
    outputTokens: 15,
    thoughtsTokens: 5,
    totalTokens: 120,
  }
  const step = await recorded(
    action('model', 'googleai/gemini-2.5-flash', REQUEST, answer(usage)),
    WITHIN,
  )
  expect(step).toMatchObject({ type: 'llm', input: null, output: null })
  expect(step.generation).toMatchObject({
    provider: 'googleai',
    model: 'gemini-2.5-flash',
    settings: { temperature: 0.2 },
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: 'Looks up the sky.', parameters: SCHEMA },
      },
    ],
    usage: { input: 60, cached: 40, output: 15, reasoning: 5 },
    messages: [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Weather here?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iV' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"sky":"sunny"}' },
    ],
    messageCompletion: {
      role: 'assistant',
      content: 'Take a hat.',
      reasoning: 'Hm.',
      finish_reason: 'stop',
    },
  })
  expect(step.generation?.settings).toEqual({ temperature: 0.2 })
})

test('thoughts within the answer, as of OpenAI, count once, and an older answer is one of candidates', async () => {
  const usage = { inputTokens: 100, outputTokens: 20, thoughtsTokens: 5, totalTokens: 120 }
  const { message } = answer(usage)
  const { generation } = await recorded(
    action('model', 'gpt-4o', REQUEST, {
      candidates: [{ message, finishReason: 'length' }],
      usage,
    }),
    WITHIN,
  )
  expect(generation).toMatchObject({
    provider: null,
    model: 'gpt-4o',
    usage: { input: 100, output: 15, reasoning: 5 },
    messageCompletion: { content: 'Take a hat.', finish_reason: 'length' },
  })
})

test.each([
  ['flow', 'run'],
  ['tool', 'tool'],
  ['tool.v2', 'tool'],
  ['retriever', 'retrieval'],
  ['reranker', 'rerank'],
  ['indexer', 'undefined'],
])('an action of the kind %s has the type %s, its input and its output', async (kind, type) => {
  const step = await recorded(action(kind, 'ask', 'Weather?', { sky: 'sunny' }), WITHIN)
  expect(step).toMatchObject({
    type,
    input: { content: 'Weather?' },
    output: { sky: 'sunny' },
    generation: null,
  })
})

test('an embedder has its model, and its texts without the vectors', async () => {
  const step = await recorded(
    action(
      'embedder',
      'openai/text-embedding-3-small',
      {
        input: [{ content: [{ text: 'one' }, { text: 'two' }] }, { content: [{ text: 'three' }] }],
      },
      { embeddings: [{ embedding: [0.1, 0.2] }] },
    ),
    WITHIN,
  )
  expect(step).toMatchObject({
    type: 'embedding',
    input: { texts: ['one\ntwo', 'three'] },
    output: null,
    generation: { provider: 'openai', model: 'text-embedding-3-small' },
  })
})

test('any JSON may stand in the place of a request and its answer', async () => {
  for (const kind of ['model', 'embedder', 'tool'])
    for (const value of [
      [],
      { messages: [1], config: [] },
      { messages: { a: 1 } },
      { input: [1] },
      'text',
      7,
    ]) {
      const attributes = action(kind, 'a/b', value, { message: value, usage: value })
      const { 'genkit:name': name } = attributes
      expect((await recorded(attributes)).metadata).toMatchObject({ 'genkit:name': name })
    }
})
