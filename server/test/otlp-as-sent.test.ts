// Spans that have requests to models and their answers in whole, beside other attributes or instead of them, and forms
// that the instrumentations of `compat/instrumentations` turned out to write.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asSent } from '../src/otlp/understanding/dialects/as-sent.js'
import { useSpans } from './support/record-span.js'

const { recorded } = useSpans()
const json = (value: unknown) => JSON.stringify(value)

const WEATHER = { type: 'function', function: { name: 'weather', parameters: {} } }
const CALL = {
  id: 'c1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Rome"}' },
}

test('a generation of Langfuse has its messages, tools, answer, settings, tokens and time to the first chunk', async () => {
  const start = 1_760_000_000_000
  const step = await recorded(
    {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o-2024',
      'langfuse.observation.model.parameters': json({ temperature: 0.2 }),
      'langfuse.observation.input': json({
        messages: [
          { role: 'system', content: 'Be kind.' },
          { role: 'user', content: 'Weather?' },
        ],
        tools: [WEATHER],
      }),
      'langfuse.observation.output': json({ role: 'assistant', content: null, tool_calls: [CALL] }),
      'langfuse.observation.usage_details': json({
        input: 12,
        input_cached_tokens: 8,
        output: 3,
        output_reasoning_tokens: 2,
        total: 25,
      }),
      'langfuse.observation.completion_start_time': json(new Date(start + 40).toISOString()),
    },
    {
      start: BigInt(start) * 1_000_000n,
      end: BigInt(start + 90) * 1_000_000n,
    },
  )
  expect(step).toMatchObject({
    type: 'llm',
    generation: {
      model: 'gpt-4o-2024',
      settings: { temperature: 0.2 },
      tools: [WEATHER],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Weather?' },
      ],
      messageCompletion: { role: 'assistant', content: null, tool_calls: [CALL] },
      inputTokenCount: 20,
      outputTokenCount: 5,
      usage: { input: 12, cached: 8, output: 3, reasoning: 2, total: 25 },
      tokenCount: 25,
      ttFirstToken: 40,
    },
  })
})

test('a generation of Langfuse may be texts only, and fail in its attributes only', async () => {
  const step = await recorded({
    'langfuse.observation.type': 'generation',
    'langfuse.observation.input': 'Greet Ada.',
    'langfuse.observation.output': json({ content: 'Good d' }),
    'langfuse.observation.level': 'ERROR',
    'langfuse.observation.status_message': 'the line is cut',
  })
  expect(step).toMatchObject({
    error: 'the line is cut',
    generation: {
      messages: [{ role: 'user', content: 'Greet Ada.' }],
      messageCompletion: { role: 'assistant', content: 'Good d' },
    },
  })
})

test('OpenInference: a request to Anthropic has its instructions and results of tools, which attributes leave out', async () => {
  const flat = 'llm.input_messages'
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    'input.value': json({
      model: 'claude',
      system: [{ type: 'text', text: 'Be kind.' }],
      messages: [
        { role: 'user', content: 'Weather?' },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Rome' } }],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [{ type: 'text', text: 'sunny' }],
            },
          ],
        },
      ],
    }),
    'output.value': json({
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'It is warm.', signature: 's' },
        { type: 'text', text: 'Take a hat.' },
      ],
      stop_reason: 'end_turn',
    }),
    [`${flat}.0.message.role`]: 'user',
    [`${flat}.0.message.content`]: 'Weather?',
    [`${flat}.1.message.role`]: 'assistant',
    [`${flat}.1.message.contents.0.message_content.type`]: 'tool_use',
    [`${flat}.1.message.tool_calls.0.tool_call.id`]: 'c1',
    [`${flat}.1.message.tool_calls.0.tool_call.function.name`]: 'weather',
    [`${flat}.1.message.tool_calls.0.tool_call.function.arguments`]: '{"city":"Rome"}',
    [`${flat}.2.message.role`]: 'user',
    [`${flat}.2.message.tool_call_id`]: 'c1',
    [`${flat}.2.message.content`]: 'sunny',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'Take a hat.',
  })
  expect(step.generation).toMatchObject({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    messageCompletion: {
      role: 'assistant',
      content: 'Take a hat.',
      reasoning: 'It is warm.',
      finish_reason: 'end_turn',
    },
  })
})

test('OpenInference: attributes that tell as much as the request are the messages, and nothing is told twice', async () => {
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    'input.value': json({ messages: [{ role: 'user', content: 'Hi.' }] }),
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'Hi.',
  })
  expect(step.generation?.messages).toEqual([{ role: 'user', content: 'Hi.' }])
  expect(step.metadata).not.toHaveProperty(['llm.input_messages.0.message.content'])
})

test('OpenInference: a result of a tool is one of a tool, whatever role it comes with; members without a value are none', async () => {
  const flat = 'llm.input_messages'
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    [`${flat}.0.message.role`]: 'user',
    [`${flat}.0.message.contents.0.message_content.type`]: 'text',
    [`${flat}.0.message.contents.0.message_content.text`]: 'Hi.',
    [`${flat}.0.message.contents.0.message_content.image`]: null,
    [`${flat}.0.message.tool_calls.0.tool_call.id`]: null,
    [`${flat}.0.message.tool_calls.0.tool_call.function.name`]: null,
    [`${flat}.1.message.role`]: 'user',
    [`${flat}.1.message.tool_call_id`]: 'c1',
    [`${flat}.1.message.content`]: 'sunny',
  })
  expect(step.generation?.messages).toEqual([
    { role: 'user', content: 'Hi.' },
    { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
  ])
})

test('OpenInference: messages of LangChain have their pictures, calls with ids, and the model that answers', async () => {
  const made = (name: string, kwargs: object) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain_core', 'messages', name],
    kwargs,
  })
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'gpt-4o',
    'input.value': json({
      messages: [
        [
          made('SystemMessage', { content: 'Be kind.' }),
          made('HumanMessage', { content: [{ type: 'text', text: 'This?' }, picture] }),
          made('AIMessage', {
            content: '',
            tool_calls: [{ id: 'c1', name: 'weather', args: { city: 'Rome' } }],
          }),
          made('ToolMessage', { content: 'sunny', tool_call_id: 'c1', name: 'weather' }),
        ],
      ],
    }),
    'output.value': json({
      generations: [
        [
          {
            text: 'Red.',
            message: made('AIMessage', {
              content: 'Red.',
              additional_kwargs: { reasoning_content: 'I see.' },
              response_metadata: {
                model_name: 'gpt-4o-2024',
                usage: { prompt_tokens: 20, completion_tokens: 5 },
              },
            }),
          },
        ],
      ],
    }),
    'llm.input_messages.0.message.role': 'system',
    'llm.input_messages.0.message.content': 'Be kind.',
    'llm.input_messages.1.message.role': 'user',
  })
  expect(step.generation).toMatchObject({
    model: 'gpt-4o-2024',
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'This?' }, picture] },
      { role: 'assistant', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    messageCompletion: { role: 'assistant', content: 'Red.', reasoning: 'I see.' },
    inputTokenCount: 20,
    outputTokenCount: 5,
  })
})

test('the items of a response of OpenAI are one answer, with its thoughts, calls and tokens', async () => {
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    'input.value': json({ instructions: 'Be kind.', input: 'Weather?' }),
    'output.value': json([
      {
        object: 'response',
        model: 'gpt-4o-2024',
        output: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Ask the tool.' }] },
          { type: 'message', content: [{ type: 'output_text', text: 'A moment.' }] },
          {
            type: 'function_call',
            call_id: 'c1',
            name: 'weather',
            arguments: '{"city":"Rome"}',
          },
        ],
        usage: {
          input_tokens: 20,
          input_tokens_details: { cached_tokens: 8 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 2 },
        },
      },
    ]),
  })
  expect(step.generation).toMatchObject({
    model: 'gpt-4o-2024',
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather?' },
    ],
    messageCompletion: {
      role: 'assistant',
      content: 'A moment.',
      reasoning: 'Ask the tool.',
      tool_calls: [CALL],
    },
    inputTokenCount: 20,
    outputTokenCount: 5,
    usage: { input: 12, cached: 8, output: 3, reasoning: 2, total: 25 },
  })
})

test('JSON that a model answers is an answer, and says nothing of the call', async () => {
  const answer = { model: 'Ford', usage: { input_tokens: 3 }, content: 'blue' }
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'gpt-4o',
    'output.value': json(answer),
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': json(answer),
  })
  expect(step.generation).toMatchObject({
    model: 'gpt-4o',
    inputTokenCount: null,
    messageCompletion: { content: json(answer) },
  })
})

test('a call that fails has the model of its parameters, if nothing else names one', async () => {
  const step = await recorded({
    'openinference.span.kind': 'LLM',
    'llm.invocation_parameters': json({ model: 'gpt-4o', temperature: 0.2 }),
  })
  expect(step.generation).toMatchObject({ model: 'gpt-4o', settings: { temperature: 0.2 } })
})

test('OpenLLMetry: parts as JSON in a text, blocks of Anthropic, thoughts as an answer before the answer', async () => {
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
  const parts = [{ type: 'text', text: 'This?' }, picture]
  const inParts = await recorded({
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': json([
      { role: 'user', parts: [{ type: 'text', content: json(parts) }] },
    ]),
  })
  expect(inParts.generation?.messages).toEqual([{ role: 'user', content: parts }])
  const flat = await recorded({
    'llm.request.type': 'chat',
    'gen_ai.prompt.0.role': 'assistant',
    'gen_ai.prompt.0.content': json([
      { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Rome' } },
    ]),
    'gen_ai.prompt.0.tool_calls.0.id': 'c1',
    'gen_ai.prompt.0.tool_calls.0.name': 'weather',
    'gen_ai.prompt.0.tool_calls.0.arguments': '{"city":"Rome"}',
    'gen_ai.prompt.1.role': 'user',
    'gen_ai.prompt.1.content': json([
      { type: 'tool_result', tool_use_id: 'c1', content: 'sunny' },
      { type: 'text', text: 'And now?' },
    ]),
    'gen_ai.completion.0.role': 'thinking',
    'gen_ai.completion.0.content': 'It is warm.',
    'gen_ai.completion.1.role': 'assistant',
    'gen_ai.completion.1.content': 'Take a hat.',
    'llm.usage.reasoning_tokens': 2,
  })
  expect(flat.generation).toMatchObject({
    messages: [
      { role: 'assistant', content: null, tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
      { role: 'user', content: 'And now?' },
    ],
    messageCompletion: { role: 'assistant', content: 'Take a hat.', reasoning: 'It is warm.' },
    usage: { reasoning: 2, total: 2 },
  })
})

test('Logfire: the request, the answer and its tokens in parts are read, and a template is no name', async () => {
  const template = 'Chat Completion with {request_data[model]!r}'
  const step = await recorded(
    {
      'logfire.msg_template': template,
      'logfire.msg': "Chat Completion with 'gpt-4o'",
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.raw': json({ prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 8 } }),
      request_data: json({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Weather?' }] }),
      response_data: json({
        message: { role: 'assistant', content: null, tool_calls: [CALL], refusal: null },
        usage: { prompt_tokens: 20 },
      }),
    },
    { name: template },
  )
  expect(step).toMatchObject({
    name: "Chat Completion with 'gpt-4o'",
    metadata: { 'otel.name': template },
    generation: {
      messages: [{ role: 'user', content: 'Weather?' }],
      messageCompletion: { role: 'assistant', content: null, tool_calls: [CALL] },
      usage: { input: 12, cached: 8, total: 20 },
    },
  })
})

test('Pydantic AI: runs have their messages and result, tools their arguments, calls their tokens for reasoning', async () => {
  const messages = [{ role: 'user', parts: [{ type: 'text', content: 'Weather?' }] }]
  const instructions = [{ type: 'text', content: 'Be kind.' }]
  const run = await recorded({
    'gen_ai.operation.name': 'invoke_agent',
    'pydantic_ai.all_messages': json(messages),
    'gen_ai.system_instructions': json(instructions),
    final_result: 'Take a hat.',
  })
  expect(run).toMatchObject({
    type: 'run',
    input: { instructions, messages },
    output: { content: 'Take a hat.' },
  })
  const tool = await recorded({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'weather',
    tool_arguments: '{"city":"Rome"}',
    tool_response: 'sunny',
  })
  expect(tool).toMatchObject({
    type: 'tool',
    name: 'weather',
    input: { city: 'Rome' },
    output: { content: 'sunny' },
  })
  const call = await recorded({
    'gen_ai.operation.name': 'chat',
    'gen_ai.usage.details.reasoning_tokens': 2,
    'gen_ai.usage.cache_write.input_tokens': 3,
  })
  expect(call.generation?.usage).toMatchObject({ reasoning: 2, cacheWrite: 3, total: 5 })
})

const event = (name: string, members: object) => ({ ...members, 'event.name': `gen_ai.${name}` })

test('Pydantic AI: events in an attribute are the messages of a call, and those of a run its input', async () => {
  const asked = [
    event('system.message', { content: 'Be kind.', role: 'system' }),
    event('user.message', {
      content: [
        'This?',
        { kind: 'binary', media_type: 'image/png', binary_content: 'AA' },
        { kind: 'image-url', url: 'https://pictures.test/1' },
      ],
      role: 'user',
      'gen_ai.message.index': 0,
    }),
    event('assistant.message', {
      role: 'assistant',
      content: [{ kind: 'thinking', text: 'Ask the tool.' }],
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: { city: 'Rome' } } },
      ],
    }),
    event('tool.message', { role: 'tool', id: 'c1', name: 'weather', content: 'sunny' }),
  ]
  const message = {
    role: 'assistant',
    content: ['Take ', 'a hat.'].map((text) => ({ kind: 'text', text })),
  }
  const call = await recorded({
    'gen_ai.operation.name': 'chat',
    events: json([...asked, event('choice', { index: 0, message })]),
  })
  expect(call.generation).toMatchObject({
    messages: [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'This?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
          { type: 'image_url', image_url: { url: 'https://pictures.test/1' } },
        ],
      },
      { role: 'assistant', content: null, reasoning: 'Ask the tool.', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'c1', name: 'weather', content: 'sunny' },
    ],
    messageCompletion: { role: 'assistant', content: 'Take \na hat.' },
  })
  expect(call.metadata).toMatchObject({ events: expect.stringContaining('Ask the tool.') })
  const run = await recorded({
    'gen_ai.operation.name': 'invoke_agent',
    all_messages_events: json(asked),
    final_result: 'Take a hat.',
  })
  expect(run).toMatchObject({
    type: 'run',
    input: { content: [{ content: 'Be kind.' }, {}, {}, { content: 'sunny' }] },
    output: { content: 'Take a hat.' },
  })
})

test('Logfire: the events of a response end with its answer, in as many as it has parts', async () => {
  const list = [
    event('user.message', { content: 'Weather?', role: 'user' }),
    event('unknown', { role: 'assistant', content: 'reasoning', data: { type: 'reasoning' } }),
    event('assistant.message', { content: 'A moment.', role: 'assistant' }),
    event('assistant.message', { role: 'assistant', tool_calls: [CALL] }),
  ]
  const chat = { 'gen_ai.operation.name': 'chat' }
  expect((await recorded({ ...chat, events: json(list) })).generation).toMatchObject({
    messages: [{ role: 'user', content: 'Weather?' }],
    messageCompletion: { role: 'assistant', content: 'A moment.', tool_calls: [CALL] },
  })
  expect((await recorded({ ...chat, events: json(list.slice(0, 1)) })).generation).toMatchObject({
    messages: [{ role: 'user', content: 'Weather?' }],
    messageCompletion: null,
  })
})

test.each([
  ['a text', 'party'],
  ['a list of something else', json([{ name: 'party', content: 'Hi.' }, 3, null])],
])('an application’s own attribute `events` says nothing of a call: %s', async (_, events) => {
  const { generation, metadata } = await recorded({ 'gen_ai.operation.name': 'chat', events })
  expect(generation).toMatchObject({ messages: null, messageCompletion: null })
  expect(metadata).toMatchObject({ events })
})

test('Logfire: the step of a stream that has ended begins when the stream began', async () => {
  const end = 1_763_719_201_000_000_000n
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'logfire.span_type': 'log',
    duration: 0.25,
    'gen_ai.usage.output_tokens': 50,
  }
  const step = await recorded(attributes, { start: end, end })
  expect(step).toMatchObject({
    startTime: '2025-11-21T10:00:00.750Z',
    endTime: '2025-11-21T10:00:01.000Z',
    generation: { duration: 0.25 },
    metadata: { duration: 0.25, 'logfire.span_type': 'log' },
  })
  const other = await recorded({ ...attributes, 'logfire.span_type': 'span' }, { start: end, end })
  expect(other).toMatchObject({ startTime: '2025-11-21T10:00:01.000Z' })
})

test('any JSON may stand in the place of a request and its answer', () => {
  const anything = fc.jsonValue({ maxDepth: 4 })
  const near = fc.record(
    {
      messages: fc.oneof(anything, fc.array(fc.record({ role: anything, content: anything }))),
      system: anything,
      input: anything,
      choices: fc.oneof(anything, fc.array(fc.record({ message: anything }))),
      generations: fc.oneof(anything, fc.array(fc.array(fc.record({ message: anything })))),
      output: fc.oneof(anything, fc.array(fc.record({ type: anything, content: anything }))),
      role: fc.oneof(fc.constant('assistant'), anything),
      content: anything,
      usage: anything,
    },
    { requiredKeys: [] },
  )
  const value = fc.oneof(anything, near, fc.array(near))
  fc.assert(
    fc.property(value, value, fc.boolean(), (request, answer, isOfLangfuse) => {
      const names = isOfLangfuse
        ? ['langfuse.observation.input', 'langfuse.observation.output']
        : ['input.value', 'output.value']
      const { asked, answer: message } = asSent(
        new Map([request, answer].map((one, index) => [names[index] ?? '', json(one)])),
      )
      expect(asked.every(({ role }) => typeof role === 'string')).toBe(true)
      expect(['assistant', undefined]).toContain(message?.role)
    }),
  )
})
