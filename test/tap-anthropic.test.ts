import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { stream, useModelServer } from './support/model-server.js'

const server = useModelServer()

const asked = async (...events: object[]) => {
  const { stepwell, steps } = recordInMemory()
  server.plays(stream(events))
  const messages = [{ role: 'user', content: 'Weather?' }]
  const body = { model: 'claude-sonnet-4-6', max_tokens: 9, messages, stream: true }
  const request = { method: 'POST', body: JSON.stringify(body) }
  await (await stepwell.fetch(`${server.url}/v1/messages?beta=true`, request)).text()
  return steps[0]?.generation
}
const start = { type: 'content_block_start', index: 0 }
const delta = { type: 'content_block_delta', index: 0 }

test('a conversation that is made shorter within a stream keeps its summary, and counts its tokens', async () => {
  const iterations = [{ type: 'compaction', input_tokens: 900, output_tokens: 50 }]
  const generation = await asked(
    {
      type: 'message_start',
      message: { id: 'msg_1', usage: { input_tokens: 20, output_tokens: 1, iterations: [] } },
    },
    { ...start, content_block: { type: 'compaction', content: null } },
    { ...delta, delta: { type: 'compaction_delta', content: 'Ada asked.' } },
    { ...start, index: 1, content_block: { type: 'text', text: '' } },
    { ...delta, index: 1, delta: { type: 'text_delta', text: 'It rains.' } },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 30, output_tokens_details: { thinking_tokens: 10 }, iterations },
    },
    { type: 'message_stop' },
  )
  expect(generation).toMatchObject({
    messageCompletion: {
      content: [
        { type: 'compaction', content: 'Ada asked.' },
        { type: 'text', text: 'It rains.' },
      ],
    },
    usage: { input: 920, output: 70, reasoning: 10, total: 1000 },
  })
})

test('a call of a tool without arguments has none in a stream, as it has none in a whole answer', async () => {
  const call = { type: 'tool_use', id: 'call_1', name: 'now', input: {} }
  const generation = await asked(
    { ...start, content_block: call },
    { ...delta, delta: { type: 'input_json_delta', partial_json: '' } },
    { type: 'message_stop' },
  )
  expect(generation).toMatchObject({
    messageCompletion: { tool_calls: [{ function: { name: 'now', arguments: '{}' } }] },
  })
})
