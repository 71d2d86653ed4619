// Runs as the SDK of LangSmith exports them over OpenTelemetry.
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const { api, recorded } = useSpans()
const json = (value: unknown) => JSON.stringify(value)

const COUNTED = {
  input_tokens: 100,
  output_tokens: 20,
  total_tokens: 120,
  input_token_details: { audio: 0, cache_read: 40 },
  output_token_details: { audio: 0, reasoning: 5 },
}
const lc = (name: string, kwargs: object) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'schema', 'messages', name],
  kwargs,
})
/** The attributes of a run of a model, beside what it was asked and answered. */
const CALL = {
  'langsmith.span.kind': 'llm',
  'gen_ai.operation.name': 'chat',
  'gen_ai.system': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'langsmith.metadata.ls_provider': 'azure',
  'langsmith.metadata.ls_temperature': 0.2,
  'langsmith.metadata.usage_metadata': json(COUNTED),
  'gen_ai.usage.input_tokens': 100,
  'gen_ai.usage.output_tokens': 20,
  'gen_ai.usage.total_tokens': 120,
}
const USAGE = { input: 60, cached: 40, output: 15, reasoning: 5, audioInput: 0, audioOutput: 0 }

test('a call of LangChain has its messages, answer, model, settings and tokens in parts', async () => {
  const { generation } = await recorded({
    ...CALL,
    'gen_ai.prompt': json({
      messages: [
        [
          lc('SystemMessage', { content: 'Be kind.', type: 'system' }),
          lc('HumanMessage', { content: 'Weather in Rome?', type: 'human' }),
        ],
      ],
    }),
    'gen_ai.completion': json({
      generations: [
        [
          {
            text: '',
            message: lc('AIMessage', {
              content: '',
              response_metadata: { model_name: 'gpt-4o-2024-08-06' },
              tool_calls: [{ name: 'weather', args: { city: 'Rome' }, id: 'c1' }],
            }),
          },
        ],
      ],
      type: 'LLMResult',
    }),
  })
  expect(generation).toMatchObject({
    provider: 'azure',
    model: 'gpt-4o-2024-08-06',
    settings: { temperature: 0.2 },
    usage: USAGE,
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather in Rome?' },
    ],
    messageCompletion: {
      role: 'assistant',
      tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
    },
  })
})

test('a call of a wrapped client has its request and answer', async () => {
  const tool = { type: 'function', function: { name: 'weather', parameters: {} } }
  const { generation } = await recorded({
    ...CALL,
    'gen_ai.response.model': 'gpt-4o-2024-08-06',
    'gen_ai.prompt': json({
      messages: [{ role: 'user', content: 'Weather in Rome?' }],
      model: 'gpt-4o',
      tools: [tool],
    }),
    'gen_ai.completion': json({
      id: 'chatcmpl-1',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Sunny.' } },
      ],
      usage_metadata: COUNTED,
    }),
  })
  expect(generation).toMatchObject({
    usage: USAGE,
    tools: [tool],
    messages: [{ role: 'user', content: 'Weather in Rome?' }],
    messageCompletion: { role: 'assistant', content: 'Sunny.' },
  })
  const responses = await recorded({
    ...CALL,
    'gen_ai.prompt': json({ input: 'Weather?', instructions: 'Be kind.', model: 'gpt-4o' }),
    'gen_ai.completion': json({
      object: 'response',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Sunny.' }] }],
    }),
  })
  expect(responses.generation).toMatchObject({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather?' },
    ],
    messageCompletion: { role: 'assistant', content: 'Sunny.' },
  })
})

test('a traced function that is said to be a model has its messages, and no answer when it failed', async () => {
  const asked = { 'gen_ai.prompt': json({ messages: [{ role: 'user', content: 'hi' }] }) }
  const answers = [
    [{ messages: [{ role: 'assistant', content: 'hello' }] }, 'hello'],
    [{ output: 'hello' }, 'hello'],
    [{ output: null }, undefined],
  ]
  for (const [answer, content] of answers) {
    const attributes = { ...CALL, ...asked, 'gen_ai.completion': json(answer) }
    const { generation } = await recorded(attributes)
    expect(generation?.messages).toEqual([{ role: 'user', content: 'hi' }])
    expect((generation?.messageCompletion as { content?: string } | null)?.content).toBe(content)
  }
})

test.for([
  ['chain', 'chain', 'run'],
  ['tool', 'execute_tool', 'tool'],
  ['retriever', 'embeddings', 'retrieval'],
  ['prompt', 'chat', 'run'],
])('a run of the type %s has its input and output', async ([kind, operation, type]) => {
  const step = await recorded({
    'langsmith.span.kind': kind,
    'gen_ai.operation.name': operation,
    'gen_ai.system': 'langchain',
    'gen_ai.prompt': json({ query: 'Rome?' }),
    'gen_ai.completion': json({ output: [{ page_content: 'Rome is sunny' }] }),
  })
  expect(step).toMatchObject({
    type,
    input: { query: 'Rome?' },
    output: { output: [{ page_content: 'Rome is sunny' }] },
    generation: null,
  })
})

test('a run that raises fails, although its span was said to be well when it began', async () => {
  const exception = { 'exception.stacktrace': 'ValueError: no such order' }
  const step = await recorded(
    { 'langsmith.span.kind': 'chain' },
    { status: { code: 1 }, events: [{ name: 'exception', attributes: exception }] },
  )
  expect(step.error).toBe('ValueError: no such order')
})

test('the thread, the user and the tags of a run are those of its metadata and tags', async () => {
  const step = await recorded({
    'langsmith.span.kind': 'chain',
    'langsmith.metadata.thread_id': 'thread-of-langsmith',
    'langsmith.metadata.user_id': 'ada-of-langsmith',
    'langsmith.span.tags': 'seq:step:2, slow, of Rome',
  })
  expect(step).toMatchObject({ threadId: 'thread-of-langsmith', tags: ['slow', 'of Rome'] })
  const thread = await api().getThread('thread-of-langsmith')
  expect(thread?.participant?.identifier).toBe('ada-of-langsmith')
})

test('an answer in JSON of its own is a text', async () => {
  const { generation } = await recorded({
    'gen_ai.operation.name': 'chat',
    'gen_ai.prompt': 'Where?',
    'gen_ai.completion': '{"city": "Rome"}',
  })
  expect(generation).toMatchObject({
    messages: [{ role: 'user', content: 'Where?' }],
    messageCompletion: { role: 'assistant', content: '{"city": "Rome"}' },
  })
})

test('settings that the SDK for JavaScript writes as texts are numbers', async () => {
  const { generation } = await recorded({
    ...CALL,
    'langsmith.metadata.ls_temperature': '0.2',
    'langsmith.metadata.ls_max_tokens': '100',
    'langsmith.metadata.ls_stop': '7',
  })
  expect(generation?.settings).toEqual({ temperature: 0.2, max_tokens: 100, stop: '7' })
})
