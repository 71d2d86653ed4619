// Answers in the forms in which providers send them.

export const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'gpt-4o-2024-08-06',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'On its way.', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 20,
    completion_tokens: 5,
    total_tokens: 25,
    prompt_tokens_details: { cached_tokens: 8, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 2, audio_tokens: 0 },
  },
}

const toolCall = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
})
export const TOOL_CALLS = [toolCall('call_1', 'Oslo'), toolCall('call_2', 'Rome')]
export const CHAT_WITH_TOOLS = {
  ...CHAT,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: TOOL_CALLS },
      finish_reason: 'tool_calls',
    },
  ],
}

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'chatcmpl-2',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, delta, finish_reason }],
})
const usageChunk = { ...chunk({}), choices: [], usage: CHAT.usage }
export const CHAT_STREAM = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'On its' }),
  chunk({ content: ' way.' }),
  chunk({}, 'stop'),
  usageChunk,
  '[DONE]',
]
const callPiece = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] })
export const TOOL_STREAM = [
  chunk({ role: 'assistant', content: null }),
  callPiece(0, { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }),
  callPiece(0, { function: { arguments: '{"city":' } }),
  callPiece(0, { function: { arguments: '"Oslo"}' } }),
  callPiece(1, { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '' } }),
  callPiece(1, { function: { arguments: '{"city":"Rome"}' } }),
  chunk({}, 'tool_calls'),
  usageChunk,
  '[DONE]',
]

const text = (value: string) => ({
  type: 'output_text',
  text: value,
  annotations: [],
  logprobs: [],
})
const item = (content: unknown[], status: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status,
  content,
})
const call = {
  id: 'fc_1',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"Oslo"}',
}
const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Orders have numbers.' }],
}
export const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_790_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'gpt-5-2025-08-07',
  output: [reasoning, item([text('On its way.')], 'completed'), call],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 12,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 42,
  },
}
const running = { ...RESPONSE, status: 'in_progress', output: [], usage: null }
const ofItem = { item_id: 'msg_1', output_index: 1, content_index: 0 }
export const RESPONSE_STREAM = [
  { type: 'response.created', response: running },
  { type: 'response.in_progress', response: running },
  { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, summary: [] } },
  {
    type: 'response.reasoning_summary_part.added',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  },
  {
    type: 'response.reasoning_summary_text.delta',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    delta: 'Orders have numbers.',
  },
  { type: 'response.output_item.done', output_index: 0, item: reasoning },
  { type: 'response.output_item.added', output_index: 1, item: item([], 'in_progress') },
  { type: 'response.content_part.added', ...ofItem, part: text('') },
  { type: 'response.output_text.delta', ...ofItem, delta: 'On its' },
  { type: 'response.output_text.delta', ...ofItem, delta: ' way.' },
  { type: 'response.output_text.done', ...ofItem, text: 'On its way.' },
  { type: 'response.content_part.done', ...ofItem, part: text('On its way.') },
  {
    type: 'response.output_item.done',
    output_index: 1,
    item: item([text('On its way.')], 'completed'),
  },
  { type: 'response.output_item.added', output_index: 2, item: { ...call, arguments: '' } },
  {
    type: 'response.function_call_arguments.delta',
    item_id: 'fc_1',
    output_index: 2,
    delta: call.arguments,
  },
  {
    type: 'response.function_call_arguments.done',
    item_id: 'fc_1',
    output_index: 2,
    name: 'weather',
    arguments: call.arguments,
  },
  { type: 'response.output_item.done', output_index: 2, item: call },
  { type: 'response.completed', response: RESPONSE },
].map((event, index) => ({ ...event, sequence_number: index }))

export const CLAUDE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [
    { type: 'thinking', thinking: 'Orders have numbers.', signature: 'c2ln' },
    { type: 'text', text: 'On its way.' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Oslo' } },
    { type: 'tool_use', id: 'toolu_2', name: 'weather', input: { city: 'Rome' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    output_tokens: 50,
  },
}
const block = (index: number, content_block: object, deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const toolBlock = (index: number, id: string, city: string) =>
  block(index, { type: 'tool_use', id, name: 'weather', input: {} }, [
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: '{"city":' },
    { type: 'input_json_delta', partial_json: `"${city}"}` },
  ])
export const CLAUDE_STREAM = [
  {
    type: 'message_start',
    message: {
      ...CLAUDE,
      content: [],
      stop_reason: null,
      usage: { ...CLAUDE.usage, output_tokens: 1 },
    },
  },
  { type: 'ping' },
  ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
    { type: 'thinking_delta', thinking: 'Orders have ' },
    { type: 'thinking_delta', thinking: 'numbers.' },
    { type: 'signature_delta', signature: 'c2ln' },
  ]),
  ...block(1, { type: 'text', text: '' }, [
    { type: 'text_delta', text: 'On its' },
    { type: 'text_delta', text: ' way.' },
  ]),
  ...toolBlock(2, 'toolu_1', 'Oslo'),
  ...toolBlock(3, 'toolu_2', 'Rome'),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 50 },
  },
  { type: 'message_stop' },
]

export const GEMINI = {
  responseId: 'gemini-1',
  modelVersion: 'gemini-2.5-flash',
  candidates: [
    {
      index: 0,
      content: {
        role: 'model',
        parts: [
          { text: 'Orders have numbers.', thought: true },
          { text: 'On its way.' },
          { functionCall: { name: 'weather', args: { city: 'Oslo' } } },
        ],
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: {
    promptTokenCount: 40,
    cachedContentTokenCount: 10,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 3,
    totalTokenCount: 50,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 40 }],
  },
}
export const GEMINI_TEXT = {
  ...GEMINI,
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: [{ text: 'On its way.' }] },
      finishReason: 'STOP',
    },
  ],
}
const geminiPiece = (parts: object[], rest: object = {}) => ({
  ...GEMINI,
  usageMetadata: { promptTokenCount: 40, totalTokenCount: 40 },
  candidates: [{ index: 0, content: { role: 'model', parts }, ...rest }],
})
export const GEMINI_STREAM = [
  geminiPiece([{ text: 'Orders have ', thought: true }]),
  geminiPiece([{ text: 'numbers.', thought: true }]),
  geminiPiece([{ text: 'On its' }]),
  geminiPiece([{ text: ' way.' }]),
  {
    ...geminiPiece([{ functionCall: { name: 'weather', args: { city: 'Oslo' } } }], {
      finishReason: 'STOP',
    }),
    usageMetadata: GEMINI.usageMetadata,
  },
]
