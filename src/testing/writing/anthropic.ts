import {
  argumentsOf,
  defined,
  outputOf,
  sumOf,
  type Told,
  type ToldCall,
  writtenToCache,
} from './told.js'
import { events, json, type Writer } from './writer.js'

type Block = Record<string, unknown>

/** Writes messages of Anthropic's API. */
export const writeMessage: Writer = (told, { body }) => {
  const { id, model, parts, calls } = told
  const content: Block[] = [...parts, ...calls.map(blockOf)]
  const usage = usageOf(told)
  const stop_reason = told.finishReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
  const frame = { id, type: 'message', role: 'assistant', model, stop_sequence: null }
  if (body.stream !== true) return json({ ...frame, content, stop_reason, usage })
  const { output_tokens, output_tokens_details, ...read } = usage
  return events(
    [
      {
        type: 'message_start',
        message: { ...frame, content: [], stop_reason: null, usage: { ...read, output_tokens: 0 } },
      },
      ...content.flatMap(eventsOf),
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: defined({ output_tokens, output_tokens_details }),
      },
      { type: 'message_stop' },
    ],
    true,
  )
}

const blockOf = (call: ToldCall): Block => ({
  type: 'tool_use',
  id: call.id,
  name: call.name,
  input: argumentsOf(call),
})

const eventsOf = (block: Block, index: number) => {
  const { type } = block
  const [empty, deltas] =
    type === 'text'
      ? [{ ...block, text: '' }, [{ type: 'text_delta', text: block.text }]]
      : type === 'thinking'
        ? [
            { ...block, thinking: '', signature: '' },
            [
              { type: 'thinking_delta', thinking: block.thinking },
              { type: 'signature_delta', signature: block.signature ?? '' },
            ],
          ]
        : type === 'tool_use'
          ? [
              { ...block, input: {} },
              [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
            ]
          : [block, []]
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** Usage of which an answer always has both numbers: clients compute with them. */
const usageOf = ({ usage }: Told): Record<string, unknown> => {
  if (usage === undefined) return { input_tokens: 0, output_tokens: 0 }
  const { cacheWrite5m, cacheWrite1h } = usage
  const hasLifetimes = cacheWrite5m !== undefined || cacheWrite1h !== undefined
  return defined({
    input_tokens: sumOf(usage, ['input', 'audioInput', 'imageInput', 'unexplained']) ?? 0,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: writtenToCache(usage),
    cache_creation: hasLifetimes
      ? defined({
          ephemeral_5m_input_tokens: cacheWrite5m,
          ephemeral_1h_input_tokens: cacheWrite1h,
        })
      : undefined,
    output_tokens: outputOf(usage) ?? 0,
    output_tokens_details:
      usage.reasoning === undefined ? undefined : { thinking_tokens: usage.reasoning },
  })
}
