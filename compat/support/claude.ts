import type { Play } from '../../test/support/model-server.js'
import { openStream, stream } from '../../test/support/model-server.js'

export const text = (value: string) => ({ type: 'text', text: value })
export const use = (id: string, name: string, input: object) => ({
  type: 'tool_use',
  id,
  name,
  input,
})

const USAGE = {
  input_tokens: 10,
  output_tokens: 5,
  cache_creation_input_tokens: 2,
  cache_read_input_tokens: 3,
}
let last = 0

/** Returns the events of an answer of Claude. Each has an id of its own, and 20 tokens: 10, 3 and 2 of input, 5 of output. */
const eventsOf = (blocks: readonly { type: string; [name: string]: unknown }[]): object[] => {
  last++
  const events: object[] = [
    {
      type: 'message_start',
      message: {
        id: `msg_${last}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...USAGE, output_tokens: 1 },
      },
    },
  ]
  blocks.forEach((block, index) => {
    const isText = block.type === 'text'
    const begun = isText ? { type: 'text', text: '' } : { ...block, input: {} }
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    events.push(
      { type: 'content_block_start', index, content_block: begun },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    )
  })
  const isTool = blocks.some(({ type }) => type === 'tool_use')
  return [
    ...events,
    {
      type: 'message_delta',
      delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: USAGE.output_tokens },
    },
    { type: 'message_stop' },
  ]
}

/** Plays an answer of Claude. */
export const says = (...blocks: Parameters<typeof eventsOf>[0]): Play => {
  const play = stream(eventsOf(blocks))
  return (response, asked) => play(response, asked)
}

/** Plays the beginning of an answer of Claude, and leaves it open. */
export const begins = (value: string): Play => openStream(eventsOf([text(value)]).slice(0, 3))
