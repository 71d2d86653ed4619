import Anthropic, { type Middleware } from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { json, openStream, stream, useModelServer } from '../test/support/model-server.js'
import { CLAUDE, CLAUDE_STREAM } from './support/answers.js'
import { sameWithAndWithout } from './support/same.js'

const server = useModelServer()
const tools = [
  { name: 'weather', input_schema: { type: 'object' as const, properties: { city: {} } } },
]
const request: Anthropic.MessageCreateParamsNonStreaming = {
  model: 'claude-next',
  max_tokens: 1024,
  system: 'Be short.',
  tools,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Where is my order?' },
        { type: 'image', source: { type: 'url', url: 'https://example.org/order.png' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_0', name: 'weather', input: { city: 'Bern' } }],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_0', content: 'Snow' },
        { type: 'text', text: 'And elsewhere?' },
      ],
    },
  ],
}
const calls = (...cities: [id: string, city: string][]) =>
  cities.map(([id, city]) => ({
    id,
    type: 'function',
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  }))
const GENERATION = {
  type: 'CHAT',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5-20250929',
  settings: { max_tokens: 1024 },
  tools,
  messages: [
    { role: 'system', content: 'Be short.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Where is my order?' },
        { type: 'image_url', image_url: { url: 'https://example.org/order.png' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: calls(['toolu_0', 'Bern']) },
    { role: 'tool', tool_call_id: 'toolu_0', content: 'Snow' },
    { role: 'user', content: 'And elsewhere?' },
  ],
  messageCompletion: {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Orders have numbers.', signature: 'c2ln' },
      { type: 'text', text: 'On its way.' },
    ],
    tool_calls: calls(['toolu_1', 'Oslo'], ['toolu_2', 'Rome']),
  },
  inputTokenCount: 1110,
  outputTokenCount: 50,
  tokenCount: 1160,
}

const run = (
  plays: Parameters<typeof sameWithAndWithout>[1],
  program: (client: Anthropic) => Promise<unknown>,
  maxRetries = 0,
) =>
  sameWithAndWithout(server, plays, (fetch) =>
    program(new Anthropic({ apiKey: 'key', baseURL: server.url, fetch, maxRetries })),
  )

test('a message with thoughts, pictures and parallel calls of tools', async () => {
  const { steps } = await run([json(CLAUDE)], (client) => client.messages.create(request))
  expect(steps).toMatchObject([
    {
      name: 'chat claude-next',
      generation: GENERATION,
      metadata: { modelCall: { finishReason: 'tool_use', responseId: 'msg_1' } },
    },
  ])
})

test('the same as a stream, by events and by the helper', async () => {
  const events = await run([stream(CLAUDE_STREAM, 77)], async (client) => {
    const all: unknown[] = []
    for await (const event of await client.messages.create({ ...request, stream: true }))
      all.push(event)
    return all
  })
  expect(events.result).toHaveLength(CLAUDE_STREAM.length - 1)
  expect(events.steps).toMatchObject([
    { isOpen: false, generation: { ...GENERATION, settings: { stream: true } } },
  ])
  expect(events.steps[0]?.generation?.ttFirstToken).toBeGreaterThan(0)
  const helper = await run([stream(CLAUDE_STREAM)], (client) =>
    client.messages.stream(request).finalMessage(),
  )
  expect(helper.steps).toMatchObject([{ isOpen: false, generation: GENERATION }])
})

test('a stream that is left keeps its beginning and the tokens of the prompt', async () => {
  const { steps } = await run([openStream(CLAUDE_STREAM.slice(0, 9))], async (client) => {
    const events = await client.messages.create({ ...request, stream: true })
    for await (const event of events)
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') break
  })
  expect(steps).toMatchObject([
    {
      isOpen: false,
      error: undefined,
      generation: {
        messageCompletion: { content: [{ type: 'thinking' }, { type: 'text', text: 'On its' }] },
        inputTokenCount: 1110,
      },
    },
  ])
})

test('errors: of the model, within a stream, and before a repetition', async () => {
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const refused = await run([json(error, 529)], (client) => client.messages.create(request))
  expect(refused.steps).toMatchObject([{ error: 'HTTP 529: overloaded_error: Overloaded' }])
  const late = await run([stream([...CLAUDE_STREAM.slice(0, 9), error])], async (client) => {
    for await (const _ of await client.messages.create({ ...request, stream: true }));
  })
  expect(late.steps).toMatchObject([
    {
      error: 'overloaded_error: Overloaded',
      generation: { messageCompletion: { content: [{}, { text: 'On its' }] } },
    },
  ])
  const repeated = await run(
    [json(error, 529, { 'retry-after-ms': '1' }), json(CLAUDE)],
    (client) => client.messages.create(request),
    2,
  )
  expect(repeated.steps).toMatchObject([
    { error: undefined, metadata: { modelCall: { attempts: [{ status: 529 }, { status: 200 }] } } },
  ])
})

test('calls that pass through middleware are recorded once, and a request that it repeats is a step of its own', async () => {
  const busy = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const seen: unknown[] = []
  const middleware: Middleware[] = [
    async (request, next, context) => {
      const response = await next(request)
      if (!response.ok) {
        await response.text()
        return next(request)
      }
      const answer = await context.parse<Anthropic.Message>(response)
      seen.push(answer.type)
      return response
    },
  ]
  const whole = await sameWithAndWithout(server, [json(busy, 529), json(CLAUDE)], (fetch) =>
    new Anthropic({
      apiKey: 'key',
      baseURL: server.url,
      fetch,
      maxRetries: 0,
      middleware,
    }).messages.create(request),
  )
  expect(whole.steps).toMatchObject([
    {
      isOpen: false,
      error: 'HTTP 529: overloaded_error: Overloaded',
    },
    { isOpen: false, error: undefined, generation: GENERATION },
  ])
  const streamed = await sameWithAndWithout(server, [stream(CLAUDE_STREAM, 77)], (fetch) =>
    new Anthropic({ apiKey: 'key', baseURL: server.url, fetch, maxRetries: 0, middleware }).messages
      .stream(request)
      .finalMessage(),
  )
  expect(streamed.steps).toMatchObject([{ isOpen: false, generation: GENERATION }])
  expect(seen).toHaveLength(2)
})
