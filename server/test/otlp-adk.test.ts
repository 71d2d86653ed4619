// Spans of the Agent Development Kit of Google, version 1.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const { recorded } = useSpans()
const json = (value: unknown) => JSON.stringify(value)

const CONTENTS = [
  { parts: [{ text: 'Weather in Rome?' }], role: 'user' },
  {
    parts: [{ function_call: { id: 'c1', args: { city: 'Rome' }, name: 'weather' } }],
    role: 'model',
  },
  {
    parts: [{ function_response: { id: 'c1', name: 'weather', response: { sky: 'sunny' } } }],
    role: 'user',
  },
]
const WEATHER = { name: 'weather', description: 'Looks up the sky.', parameters: {} }

test('a call of a model has its messages, answer, tools, settings, tokens in parts and conversation', async () => {
  const step = await recorded(
    {
      'gen_ai.system': 'gcp.vertex.agent',
      'gen_ai.request.model': 'gemini-2.5-flash',
      'gcp.vertex.agent.session_id': 'session-of-adk',
      'gcp.vertex.agent.llm_request': json({
        model: 'gemini-2.5-flash',
        config: {
          http_options: { headers: {} },
          system_instruction: 'Be kind.',
          temperature: 0.2,
          tools: [{ function_declarations: [WEATHER] }],
        },
        contents: CONTENTS,
      }),
      'gcp.vertex.agent.llm_response': json({
        content: {
          parts: [{ text: 'Hm.', thought: true }, { text: 'Take a hat.' }],
          role: 'model',
        },
        usage_metadata: {
          cached_content_token_count: 40,
          candidates_token_count: 15,
          prompt_token_count: 100,
          thoughts_token_count: 5,
          total_token_count: 120,
        },
      }),
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 15,
    },
    { name: 'call_llm', parentSpanId: '1'.repeat(16) },
  )
  expect(step).toMatchObject({ type: 'llm', threadId: 'session-of-adk' })
  expect(step.generation).toMatchObject({
    model: 'gemini-2.5-flash',
    settings: { temperature: 0.2 },
    tools: [WEATHER],
    usage: { input: 60, cached: 40, output: 15, reasoning: 5 },
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather in Rome?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"sky":"sunny"}' },
    ],
    messageCompletion: { role: 'assistant', content: 'Take a hat.', reasoning: 'Hm.' },
  })
})

test('a call of a tool has its arguments and result, and is no call of a model', async () => {
  const step = await recorded({
    'gen_ai.system': 'gcp.vertex.agent',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'weather',
    'gcp.vertex.agent.tool_call_args': json({ city: 'Rome' }),
    'gcp.vertex.agent.tool_response': json({ sky: 'sunny' }),
    'gcp.vertex.agent.llm_request': '{}',
    'gcp.vertex.agent.llm_response': '{}',
  })
  expect(step).toMatchObject({
    type: 'tool',
    name: 'weather',
    input: { city: 'Rome' },
    output: { sky: 'sunny' },
    generation: null,
  })
})

test('any JSON may stand in the place of a request and its answer', async () => {
  for (const value of [[], { contents: [1], config: [] }, { contents: { a: 1 } }, 'text', 7]) {
    const attributes = {
      'gcp.vertex.agent.llm_request': json(value),
      'gcp.vertex.agent.llm_response': json({ content: value, usage_metadata: value }),
    }
    expect((await recorded(attributes)).metadata).toMatchObject(attributes)
  }
})
