// Spans of Strands Agents, whose events have contents in the form of Amazon Bedrock.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const { recorded } = useSpans()
const json = (value: unknown) => JSON.stringify(value)

const START = 1_764_000_000_000_000_000n
const SECOND = 1_000_000_000n
const event = (name: string, attributes: Record<string, unknown>) => ({ name, attributes })
const RESULT = { toolUseId: 'c1', status: 'success', content: [{ text: 'sunny' }] }

test('a call of a model has its messages, answer, first chunk, and no framework as its provider', async () => {
  const { generation } = await recorded(
    {
      'gen_ai.system': 'strands-agents',
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.server.time_to_first_token': 2307,
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
    },
    {
      start: START,
      end: START + 3n * SECOND,
      events: [
        event('gen_ai.system.message', { content: json([{ text: 'Be kind.' }]) }),
        event('gen_ai.user.message', { content: json([{ text: 'Weather in Rome?' }]) }),
        event('gen_ai.assistant.message', {
          content: json([
            { reasoningContent: { reasoningText: { text: 'Hm.' } } },
            { text: 'I look.' },
            { toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Rome' } } },
          ]),
        }),
        event('gen_ai.tool.message', { content: json([{ toolResult: RESULT }]) }),
        event('gen_ai.choice', { message: json([{ text: 'Take a hat.' }]) }),
      ],
    },
  )
  expect(generation).toMatchObject({
    provider: null,
    model: 'gpt-4o',
    ttFirstToken: 2307,
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather in Rome?' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning: 'Hm.',
        tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    messageCompletion: { role: 'assistant', content: 'Take a hat.' },
  })
  expect(generation?.cost).toBeGreaterThan(0)
})

test('an answer that only calls a tool has the call', async () => {
  const called = [{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Rome' } } }]
  const { generation } = await recorded(
    { 'gen_ai.operation.name': 'chat' },
    { events: [event('gen_ai.choice', { message: json(called), finish_reason: 'tool_use' })] },
  )
  expect(generation?.messageCompletion).toEqual({
    role: 'assistant',
    content: null,
    finish_reason: 'tool_use',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    ],
  })
})

test('a tool and an agent have the input and output that their events say', async () => {
  const tool = await recorded(
    { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'weather' },
    {
      events: [
        event('gen_ai.tool.message', { role: 'tool', content: '{"city": "Rome"}', id: 'c1' }),
        event('gen_ai.choice', { message: json([{ text: 'sunny' }]), id: 'c1' }),
      ],
    },
  )
  expect(tool).toMatchObject({ input: { city: 'Rome' }, output: { content: 'sunny' } })
  const agent = await recorded(
    { 'gen_ai.operation.name': 'invoke_agent' },
    {
      events: [
        event('gen_ai.user.message', { content: json([{ text: 'Weather?' }]) }),
        event('gen_ai.choice', { message: 'Take a hat.' }),
      ],
    },
  )
  expect(agent).toMatchObject({
    input: { content: [{ role: 'user', content: 'Weather?' }] },
    output: { content: 'Take a hat.' },
  })
})

test('details of a call that several events divide are all read', async () => {
  const details = (name: string, value: unknown) =>
    event('gen_ai.client.inference.operation.details', { [name]: json(value) })
  const { generation } = await recorded(
    { 'gen_ai.operation.name': 'chat' },
    {
      events: [
        details('gen_ai.system_instructions', [{ type: 'text', content: 'Be kind.' }]),
        details('gen_ai.input.messages', [
          { role: 'user', parts: [{ type: 'text', content: 'Weather?' }] },
        ]),
        details('gen_ai.output.messages', [
          { role: 'assistant', parts: [{ type: 'text', content: 'Take a hat.' }] },
        ]),
      ],
    },
  )
  expect(generation).toMatchObject({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather?' },
    ],
    messageCompletion: { role: 'assistant', content: 'Take a hat.' },
  })
})
