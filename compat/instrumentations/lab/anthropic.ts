// Messages of Anthropic, as its API has them.
import type { Asked } from './model.js'
import { answering, PLAYED, type Scenario, TOKENS } from './scenarios.js'

/** Input is counted without what comes from the cache. */
const USAGE = {
  input_tokens: TOKENS.input,
  output_tokens: TOKENS.output,
  cache_read_input_tokens: TOKENS.cached,
  cache_creation_input_tokens: 0,
}

export const error = (message: string): object => ({
  type: 'error',
  error: { type: 'invalid_request_error', message },
})

type Block = { type: string } & Record<string, unknown>

const blocksOf = ({ answer: text, calls, reasoning }: Scenario, isFirst: boolean): Block[] =>
  calls !== undefined && isFirst
    ? calls.map(({ id, city }) => ({
        type: 'tool_use',
        id,
        name: PLAYED.tool.name,
        input: { city },
      }))
    : [
        ...(reasoning === undefined
          ? []
          : [{ type: 'thinking', thinking: reasoning, signature: 'c2lnbmVk' }]),
        { type: 'text', text },
      ]

const messageOf = ({ model }: Asked, content: Block[], reason: string | null): object => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: answering(model),
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: USAGE,
})

const reasonOf = ({ calls }: Scenario, isFirst: boolean) =>
  calls !== undefined && isFirst ? 'tool_use' : 'end_turn'

export const answer = (asked: Asked, scenario: Scenario, isFirst: boolean): object =>
  messageOf(asked, blocksOf(scenario, isFirst), reasonOf(scenario, isFirst))

export const events = (asked: Asked, scenario: Scenario, isFirst: boolean): string[] => {
  const all: Block[] = [
    { type: 'message_start', message: messageOf(asked, [], null) },
    ...blocksOf(scenario, isFirst).flatMap(pieces),
  ]
  const last = [
    {
      type: 'message_delta',
      delta: { stop_reason: reasonOf(scenario, isFirst), stop_sequence: null },
      usage: { output_tokens: TOKENS.output },
    },
    { type: 'message_stop' },
  ]
  const told = scenario.endless ? all.slice(0, -1) : [...all, ...last]
  return told.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`)
}

/** Divides a block of a message into the events of its stream. */
const pieces = (block: Block, index: number): Block[] => {
  const { type, text, thinking, input } = block
  const begin = { type: 'content_block_start', index }
  const delta = (one: object) => ({ type: 'content_block_delta', index, delta: one })
  const end = { type: 'content_block_stop', index }
  if (type === 'thinking')
    return [
      { ...begin, content_block: { type, thinking: '', signature: '' } },
      delta({ type: 'thinking_delta', thinking }),
      delta({ type: 'signature_delta', signature: block.signature }),
      end,
    ]
  if (type === 'tool_use')
    return [
      { ...begin, content_block: { ...block, input: {} } },
      delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }),
      end,
    ]
  return [
    { ...begin, content_block: { type, text: '' } },
    ...(String(text).match(/\S+\s*/g) ?? []).map((piece) =>
      delta({ type: 'text_delta', text: piece }),
    ),
    end,
  ]
}
