import { fixtureOf, type RunFixture, replayInMemory } from 'stepwell/testing'
import { expect, test } from 'vitest'

/** An answer with a text and a call of a tool, and with usage in parts that all APIs tell. */
const ANSWER = {
  role: 'assistant',
  content: 'Let me look.',
  tool_calls: [
    { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  ],
}

const fixtureWith = (generation: object, finishReason?: string): RunFixture =>
  fixtureOf([
    {
      id: 'call',
      name: 'chat some-model',
      type: 'llm',
      generation: { model: 'some-model-1', ...generation },
      metadata: { modelCall: { api: 'any', responseId: 'answer-1', finishReason } },
    },
  ])

const chat = (usage: object, finishReason: string) =>
  fixtureWith(
    { messages: [{ role: 'user', content: 'Weather?' }], messageCompletion: ANSWER, usage },
    finishReason,
  )

const text = (usage: object) =>
  fixtureWith({ type: 'COMPLETION', prompt: 'Once', completion: ' upon a time', usage }, 'stop')

const asked = async (fixture: RunFixture, path: string, body: object) => {
  const { replay, steps } = replayInMemory()
  const [answer] = await replay(fixture, async (_, stepwell) => {
    const request = { method: 'POST', body: JSON.stringify(body) }
    const response = await stepwell.fetch(`https://models.invalid${path}`, request)
    return { type: response.headers.get('content-type'), text: await response.text() }
  })
  return { step: steps[0], answer: answer as { type: string; text: string } }
}

const model = 'some-model'
const messages = [{ role: 'user', content: 'Weather?' }]
const PARTS = { input: 9, cached: 3, output: 5, total: 17 }
const REASONED = { input: 9, cached: 3, output: 5, reasoning: 2, total: 19 }
const CACHED = { input: 9, cached: 3, cacheWrite5m: 4, output: 5, reasoning: 2, total: 23 }

const CHATS: [api: string, path: string, body: object, usage: object, finishReason: string][] = [
  [
    'openai.chat',
    '/v1/chat/completions',
    { model, messages },
    { ...REASONED, cacheWrite: 1, total: 20 },
    'tool_calls',
  ],
  ['openai.responses', '/v1/responses', { model, input: 'Weather?' }, REASONED, 'completed'],
  ['anthropic.messages', '/v1/messages', { model, messages, max_tokens: 9 }, CACHED, 'tool_use'],
  [
    'gemini.generate',
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }] },
    REASONED,
    'STOP',
  ],
  [
    'ollama.chat',
    '/api/chat',
    { model, messages, stream: false },
    { input: 12, output: 5, total: 17 },
    'stop',
  ],
]

for (const isStream of [false, true])
  test.each(CHATS)(
    `%s is answered as it was recorded${isStream ? ', in a stream' : ''}`,
    async (...[api, path, body, usage, finishReason]) => {
      const isGemini = api === 'gemini.generate'
      const address = isGemini && isStream ? `${path.replace(':g', ':streamG')}?alt=sse` : path
      const given = isStream && !isGemini ? { ...body, stream: true } : body
      const { step, answer } = await asked(chat(usage, finishReason), address, given)
      expect(answer.type).toMatch(isStream ? /event-stream|ndjson/ : /^application\/json$/)
      expect(step).toMatchObject({
        error: undefined,
        generation: {
          // Its call has an id only if the request would stream it.
          messageCompletion: api === 'ollama.chat' ? { ...ANSWER } : ANSWER,
          model: 'some-model-1',
          usage,
        },
        metadata: { modelCall: { api, finishReason } },
      })
    },
  )

test.each([
  ['openai.completion', '/v1/completions', { model, prompt: 'Once' }, PARTS],
  [
    'ollama.generate',
    '/api/generate',
    { model, prompt: 'Once' },
    { input: 12, output: 5, total: 17 },
  ],
])('%s completes as it was recorded, whole and in a stream', async (api, path, body, usage) => {
  for (const stream of [false, true]) {
    const { step } = await asked(text(usage), path, { ...body, stream })
    expect(step).toMatchObject({
      generation: { completion: ' upon a time', model: 'some-model-1', usage },
      metadata: { modelCall: { api, finishReason: 'stop' } },
    })
  }
})

test('thoughts come back in each API that has them', async () => {
  const thought = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'text', text: 'Rain.' },
    ],
  }
  const fixture = fixtureWith({ messages, messageCompletion: thought }, 'end_turn')
  for (const stream of [false, true]) {
    const { step } = await asked(fixture, '/v1/messages', {
      model,
      messages,
      max_tokens: 9,
      stream,
    })
    expect(step?.generation?.messageCompletion).toEqual(thought)
    const other = await asked(fixture, '/v1/responses', { model, input: 'Weather?', stream })
    expect(other.step?.generation?.messageCompletion).toMatchObject({
      content: [{ type: 'thinking', thinking: 'Hm.' }, { text: 'Rain.' }],
    })
  }
})

test('an answer without known tokens has none', async () => {
  const fixture = fixtureWith({ messages, messageCompletion: ANSWER })
  const { step, answer } = await asked(fixture, '/v1/chat/completions', { model, messages })
  expect(JSON.parse(answer.text)).not.toHaveProperty('usage')
  expect(step?.generation).not.toHaveProperty('usage')
  const counted = fixtureWith({ messages, messageCompletion: ANSWER, tokenCount: 7 })
  const other = await asked(counted, '/v1/chat/completions', { model, messages })
  expect(other.step?.generation).toMatchObject({ tokenCount: 7 })
})
