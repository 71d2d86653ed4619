// Attributes as instrumentations write them: see compat/ for the instrumentations themselves.
import { expect, test } from 'vitest'
import { type Counts, countsOf } from '../../src/model-calls/usage/usage.js'
import { VECTORS } from '../../test/support/usage-vectors.js'
import { useSpans } from './support/record-span.js'

const { api, recorded } = useSpans()
const json = (value: unknown) => JSON.stringify(value)

test('a call of the AI SDK 5 and 6 has its messages, answer, tools, tokens and time to the first chunk', async () => {
  const step = await recorded(
    {
      'operation.name': 'ai.streamText.doStream support',
      'ai.operationId': 'ai.streamText.doStream',
      'ai.telemetry.functionId': 'support',
      'ai.model.provider': 'openai.chat',
      'ai.model.id': 'gpt-4o',
      'ai.settings.maxRetries': 2,
      'ai.prompt.messages': json([
        { role: 'system', content: 'Be kind.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'file', mediaType: 'image/png', data: 'iVBOR' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { at: 'it' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'look',
              output: { type: 'json', value: { it: 'cat' } },
            },
          ],
        },
      ]),
      'ai.prompt.tools': [json({ type: 'function', name: 'look', inputSchema: {} })],
      'ai.response.text': 'A cat.',
      'ai.response.reasoning': 'It has ears.',
      'ai.response.finishReason': 'stop',
      'ai.response.msToFirstChunk': 120.5,
      'ai.usage.cachedInputTokens': 5,
      'ai.usage.outputTokenDetails.reasoningTokens': 2,
      'gen_ai.system': 'openai.chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.request.temperature': 0.2,
      'gen_ai.response.model': 'gpt-4o-2024-08-06',
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 7,
    },
    { name: 'ai.streamText.doStream', parentSpanId: '1'.repeat(16) },
  )
  expect(step).toMatchObject({
    type: 'llm',
    generation: {
      provider: 'openai.chat',
      model: 'gpt-4o-2024-08-06',
      settings: { maxRetries: 2, temperature: 0.2 },
      tools: [{ type: 'function', name: 'look' }],
      inputTokenCount: 30,
      outputTokenCount: 7,
      tokenCount: 37,
      ttFirstToken: 120.5,
      usage: { input: 25, cached: 5, output: 5, reasoning: 2, total: 37 },
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'text', text: 'What is this?' }, { type: 'file' }] },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{"at":"it"}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', name: 'look', content: '{"it":"cat"}' },
      ],
      messageCompletion: {
        role: 'assistant',
        content: 'A cat.',
        reasoning: 'It has ears.',
        finish_reason: 'stop',
      },
    },
  })
})

test('an operation of the AI SDK is a run, whose telemetry metadata name session, user and tags', async () => {
  const step = await recorded(
    {
      'ai.operationId': 'ai.generateText',
      'ai.telemetry.metadata.sessionId': 'chat of Ada',
      'ai.telemetry.metadata.userId': 'ada of the AI SDK',
      'ai.telemetry.metadata.tags': ['beta'],
      'ai.prompt': json({ system: 'Be kind.', prompt: 'Hello' }),
      'ai.response.text': 'Hi',
    },
    { name: 'ai.generateText' },
  )
  expect(step).toMatchObject({
    type: 'run',
    threadId: 'chat of Ada',
    tags: ['beta'],
    input: { system: 'Be kind.', prompt: 'Hello' },
    output: { content: 'Hi' },
    generation: null,
  })
  const user = await api().getUser('ada of the AI SDK')
  expect((await api().getThread('chat of Ada'))?.participant?.id).toBe(user?.id)
})

test.each([
  ['a tool of the AI SDK 5 and 6', 'ai.toolCall.args', 'ai.toolCall.result'],
  ['a tool of the AI SDK 7', 'gen_ai.tool.call.arguments', 'gen_ai.tool.call.result'],
  ['a task of OpenLLMetry', 'traceloop.entity.input', 'traceloop.entity.output'],
  ['a chain of OpenInference', 'input.value', 'output.value'],
])(
  'a text of %s that is written as JSON has no quotes, and keeps its attribute',
  async (_, input, output) => {
    const attributes = { [input]: '"the \\"7\\" "', [output]: ' "In Lyon."' }
    const types = {
      'input.mime_type': 'application/json',
      'output.mime_type': 'application/json',
    }
    const step = await recorded({ ...attributes, ...(input === 'input.value' ? types : {}) })
    expect(step).toMatchObject({
      input: { content: 'the "7" ' },
      output: { content: 'In Lyon.' },
      metadata: attributes,
    })
  },
)

test.each([
  ['a quotation', 'traceloop.entity.output', '"Yes," it said.'],
  ['a quotation in a chain that does not write JSON', 'output.value', '"Yes"'],
])('%s stays as it is', async (_, name, value) => {
  expect(await recorded({ [name]: value })).toMatchObject({ output: { content: value } })
})

test('tools, embeddings and rerankings of the AI SDK have their types, inputs and outputs', async () => {
  const parentSpanId = '1'.repeat(16)
  expect(
    await recorded(
      {
        'ai.operationId': 'ai.toolCall',
        'ai.toolCall.name': 'look',
        'ai.toolCall.args': '{"at":"it"}',
        'ai.toolCall.result': '{"it":"cat"}',
      },
      { name: 'ai.toolCall', parentSpanId },
    ),
  ).toMatchObject({ type: 'tool', name: 'look', input: { at: 'it' }, output: { it: 'cat' } })
  expect(
    await recorded(
      {
        'ai.operationId': 'ai.embedMany.doEmbed',
        'ai.model.id': 'small',
        'ai.values': ['"one"', '"two"'],
        'ai.usage.tokens': 4,
      },
      { parentSpanId },
    ),
  ).toMatchObject({
    type: 'embedding',
    input: { content: ['"one"', '"two"'] },
    generation: { model: 'small', inputTokenCount: 4 },
  })
  expect(
    await recorded(
      {
        'ai.operationId': 'ai.rerank.doRerank',
        'ai.documents': ['a', 'b'],
        'ai.ranking': ['{"index":1}'],
      },
      { parentSpanId },
    ),
  ).toMatchObject({ type: 'rerank', input: { content: ['a', 'b'] } })
})

test('the AI SDK 7 writes agents, steps and calls by the conventions, and its context names the session', async () => {
  expect(
    await recorded({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'support',
      'ai.settings.context.sessionId': 'chat of the context',
      'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'text', content: 'Hi' }] }]),
    }),
  ).toMatchObject({ type: 'run', threadId: 'chat of the context' })
  expect(
    await recorded({ 'gen_ai.operation.name': 'agent_step' }, { parentSpanId: '1'.repeat(16) }),
  ).toMatchObject({ type: 'run' })
  expect(
    (
      await recorded({
        'gen_ai.operation.name': 'chat',
        'gen_ai.client.operation.time_to_first_chunk': 0.25,
        'gen_ai.usage.cache_creation.input_tokens': 9,
      })
    ).generation,
  ).toMatchObject({ ttFirstToken: 250, usage: { cacheWrite: 9, total: 9, input: null } })
})

test('messages of a call are read from events of its span, each with its content as JSON', async () => {
  const content = (value: unknown) => ({ 'gen_ai.event.content': json(value) })
  const { generation, metadata } = await recorded(
    { 'gen_ai.operation.name': 'chat', 'gen_ai.system': 'az.ai.inference' },
    {
      events: [
        { name: 'gen_ai.system.message', attributes: content({ content: 'Be kind.' }) },
        { name: 'gen_ai.user.message', attributes: content({ content: 'Weather?' }) },
        {
          name: 'gen_ai.assistant.message',
          attributes: content({
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'w', arguments: '{"in":"Rome"}' } },
            ],
          }),
        },
        { name: 'gen_ai.tool.message', attributes: content({ id: 'c1', content: 'sunny' }) },
        {
          name: 'gen_ai.choice',
          attributes: content({ index: 1, finish_reason: 'stop', message: { content: 'Second' } }),
        },
        {
          name: 'gen_ai.choice',
          attributes: content({ index: 0, finish_reason: 'stop', message: { content: 'Sunny.' } }),
        },
      ],
    },
  )
  expect(generation).toMatchObject({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', function: { name: 'w', arguments: '{"in":"Rome"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
    ],
    messageCompletion: { role: 'assistant', content: 'Sunny.', finish_reason: 'stop' },
  })
  expect((metadata as { 'otel.events': unknown[] })['otel.events']).toHaveLength(6)
})

test('a call is read from the event with its details, and from events of prompt and answer before', async () => {
  const asked = [{ role: 'user', parts: [{ type: 'text', content: 'Hello' }] }]
  const answer = [{ role: 'assistant', parts: [{ type: 'text', content: 'Hi' }] }]
  const details = {
    'gen_ai.input.messages': asked,
    'gen_ai.output.messages': answer,
    'gen_ai.system_instructions': [{ type: 'text', content: 'Be kind.' }],
  }
  const name = 'gen_ai.client.inference.operation.details'
  const chat = { 'gen_ai.operation.name': 'chat' }
  expect(
    (await recorded(chat, { events: [{ name, attributes: details }] })).generation,
  ).toMatchObject({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hello' },
    ],
    messageCompletion: { role: 'assistant', content: 'Hi' },
  })
  const before = [
    {
      name: 'gen_ai.content.prompt',
      attributes: { 'gen_ai.prompt': json([{ role: 'user', content: 'Hello' }]) },
    },
    {
      name: 'gen_ai.content.completion',
      attributes: { 'gen_ai.completion': json([{ role: 'assistant', content: 'Hi' }]) },
    },
  ]
  const read = {
    messages: [{ role: 'user', content: 'Hello' }],
    messageCompletion: { content: 'Hi' },
  }
  expect((await recorded(chat, { events: before })).generation).toMatchObject(read)
  expect(
    (
      await recorded({
        ...chat,
        'gen_ai.prompt': json([{ role: 'user', content: 'Hello' }]),
        'gen_ai.completion': 'Hi',
      })
    ).generation,
  ).toMatchObject(read)
})

test('an evaluation becomes a score of its step, once however often it comes', async () => {
  const attributes = {
    'gen_ai.evaluation.name': 'Relevance',
    'gen_ai.evaluation.score.value': 0.75,
    'gen_ai.evaluation.score.label': 'relevant',
    'gen_ai.evaluation.explanation': 'It answers.',
  }
  const events = [
    { name: 'gen_ai.evaluation.result', attributes },
    {
      name: 'gen_ai.evaluation.result',
      attributes: { 'gen_ai.evaluation.name': 'Safe', 'gen_ai.evaluation.score.label': 'pass' },
    },
    { name: 'gen_ai.evaluation.result', attributes: { 'gen_ai.evaluation.name': 'No value' } },
  ]
  const step = await recorded({ 'gen_ai.operation.name': 'chat' }, { events })
  expect(
    step.scores?.map(({ name, type, value, label, comment }) => [
      name,
      type,
      value,
      label,
      comment,
    ]),
  ).toEqual([
    ['Relevance', 'AI', 0.75, 'relevant', 'It answers.'],
    ['Safe', 'AI', 1, 'pass', null],
  ])
  const annotated = await recorded({
    'annotations.0.annotation.name': 'tone',
    'annotations.0.annotation.score': 1,
    'annotations.0.annotation.annotator_kind': 'HUMAN',
  })
  expect(annotated.scores).toMatchObject([{ name: 'tone', type: 'HUMAN', value: 1 }])
})

test.each([
  ['create_agent', 'run'],
  ['invoke_agent', 'run'],
  ['invoke_workflow', 'run'],
  ['plan', 'run'],
  ['execute_tool', 'tool'],
  ['retrieval', 'retrieval'],
  ['embeddings', 'embedding'],
  ['rerank', 'rerank'],
  ['generate_content', 'llm'],
])('the operation %s of the conventions is a step of type %s', async (operation, type) => {
  const step = await recorded(
    { 'gen_ai.operation.name': operation },
    { parentSpanId: '1'.repeat(16) },
  )
  expect(step.type).toBe(type)
})

test('a kind that only another convention knows gives the type', async () => {
  const step = await recorded(
    { 'gen_ai.operation.name': 'something', 'openinference.span.kind': 'RETRIEVER' },
    { parentSpanId: '1'.repeat(16) },
  )
  expect(step.type).toBe('retrieval')
})

test('OpenInference: pictures, tools, documents, texts and prompts without roles', async () => {
  const call = await recorded({
    'openinference.span.kind': 'LLM',
    'llm.model_name': 'gpt-4o',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.contents.0.message_content.type': 'text',
    'llm.input_messages.0.message.contents.0.message_content.text': 'What is it?',
    'llm.input_messages.0.message.contents.1.message_content.type': 'image',
    'llm.input_messages.0.message.contents.1.message_content.image.image.url': 'https://x/cat.png',
    'llm.tools.0.tool.json_schema': json({ type: 'function', function: { name: 'look' } }),
    'llm.prompt_template.variables': json({ it: 'cat' }),
    'llm.token_count.prompt_details.cache_read': 3,
    'llm.token_count.completion_details.reasoning': 4,
  })
  expect(call.generation).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://x/cat.png' } },
        ],
      },
    ],
    tools: [{ type: 'function', function: { name: 'look' } }],
    variables: { it: 'cat' },
    usage: { cached: 3, reasoning: 4, total: 7 },
  })
  const retrieval = await recorded({
    'openinference.span.kind': 'RETRIEVER',
    'retrieval.documents.0.document.id': 'd1',
    'retrieval.documents.0.document.score': 0.5,
    'retrieval.documents.0.document.metadata': json({ page: 3 }),
    'retrieval.documents.1.document.content': 'Text',
  })
  expect(retrieval).toMatchObject({
    type: 'retrieval',
    output: { documents: [{ id: 'd1', score: 0.5, metadata: { page: 3 } }, { content: 'Text' }] },
  })
  const embedding = await recorded({
    'openinference.span.kind': 'EMBEDDING',
    'embedding.model_name': 'small',
    'embedding.embeddings.0.embedding.text': 'one',
    'embedding.embeddings.0.embedding.vector': [0.5, 0.25],
  })
  expect(embedding).toMatchObject({
    type: 'embedding',
    input: { texts: ['one'] },
    generation: { model: 'small' },
  })
  expect(embedding.metadata).toMatchObject({
    'embedding.embeddings.0.embedding.vector': [0.5, 0.25],
  })
  const plain = await recorded({
    'openinference.span.kind': 'LLM',
    'llm.prompts.0.prompt.text': 'Once',
    'llm.choices.0.completion.text': 'upon a time',
  })
  expect(plain.generation).toMatchObject({
    messages: [{ role: 'user', content: 'Once' }],
    messageCompletion: { content: 'upon a time' },
  })
})

test('OpenLLMetry: functions, contents as JSON, cached tokens and association properties', async () => {
  const call = await recorded({
    'llm.request.type': 'chat',
    'gen_ai.system': 'OpenAI',
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': json([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'https://x/cat.png' } },
    ]),
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.finish_reason': 'tool_calls',
    'gen_ai.completion.0.tool_calls.0.id': 'c1',
    'gen_ai.completion.0.tool_calls.0.name': 'look',
    'gen_ai.completion.0.tool_calls.0.arguments': '{}',
    'llm.request.functions.0.name': 'look',
    'llm.request.functions.0.parameters': json({ type: 'object' }),
    'llm.top_k': 3,
    'gen_ai.usage.cache_read_input_tokens': 8,
    'llm.usage.total_tokens': 20,
    'traceloop.association.properties.user_id': 'ben of OpenLLMetry',
    'traceloop.association.properties.session_id': 'chat of Ben',
  })
  expect(call).toMatchObject({
    threadId: 'chat of Ben',
    generation: {
      tokenCount: 20,
      settings: { top_k: 3 },
      tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
      usage: { cached: 8, unexplained: 12, input: null, output: null, total: 20 },
      messages: [{ role: 'user', content: [{ type: 'text' }, { type: 'image_url' }] }],
      messageCompletion: {
        finish_reason: 'tool_calls',
        tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{}' } }],
      },
    },
  })
})

test('Langfuse: its generations are calls of models, with model, settings and tokens', async () => {
  const call = await recorded(
    {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.model.name': 'gpt-4o',
      'langfuse.observation.model.parameters': json({ temperature: 0.5 }),
      'langfuse.observation.usage_details': json({ input: 3, input_cached_tokens: 4, output: 5 }),
    },
    { parentSpanId: '1'.repeat(16) },
  )
  expect(call).toMatchObject({
    type: 'llm',
    generation: {
      model: 'gpt-4o',
      settings: { temperature: 0.5 },
      usage: { input: 3, cached: 4, output: 5, total: 12 },
      inputTokenCount: 7,
      outputTokenCount: 5,
      tokenCount: 12,
    },
  })
})

test.each(VECTORS.filter(([, form]) => form === 'otel'))(
  'a call of a model has its usage in parts, and their sums: %s',
  async (_, __, attributes, usage) => {
    const { generation } = await recorded(
      { 'gen_ai.operation.name': 'chat', ...attributes },
      { parentSpanId: '1'.repeat(16) },
    )
    expect(known(generation?.usage)).toEqual(usage)
    const counts: Counts = usage === undefined ? {} : countsOf(usage)
    expect(generation).toMatchObject({
      inputTokenCount: counts.inputTokenCount ?? null,
      outputTokenCount: counts.outputTokenCount ?? null,
      tokenCount: counts.tokenCount ?? null,
    })
  },
)

/** Returns the parts that are known. */
const known = (usage: object | null | undefined) =>
  usage
    ? Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))
    : undefined

test('a span of the same trace that comes minutes later, from the server of a model, is in its thread', async () => {
  const traceId = 'c1a0de'.padStart(32, '0')
  const first = await recorded({ 'session.id': 'with Claude' }, { traceId, name: 'mine' })
  const late = await recorded(
    { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'anthropic' },
    { traceId, parentSpanId: first.id?.split('-')[1] ?? '', name: 'theirs' },
  )
  expect(late).toMatchObject({ threadId: 'with Claude', parentId: first.id })
})

test('a call that names a prompt of the project and its version is linked to it', async () => {
  const messages = [{ role: 'user' as const, content: 'Hi {{name}}' }]
  const prompt = await api().getOrCreatePrompt('greeting of spans', messages)
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.prompt.name': 'greeting of spans',
    'gen_ai.prompt.version': String(prompt.version),
  }
  expect((await recorded(attributes)).generation?.promptId).toBe(prompt.id)
  const unknown = await recorded({ ...attributes, 'gen_ai.prompt.version': '7' })
  expect(unknown.generation?.promptId ?? null).toBeNull()
  expect(unknown.metadata).toMatchObject({ 'gen_ai.prompt.version': '7' })
})
