import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { json, useModelServer } from './support/model-server.js'

const server = useModelServer()

test('outputs of functions, computers, shells and patches in a request are messages of tools', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json({ id: 'resp_1', model: 'gpt-5', status: 'completed', output: [] }))
  const screen = { type: 'computer_screenshot', image_url: 'https://shop.test/screen.png' }
  const shown = [{ stdout: 'a.ts', stderr: '', outcome: { type: 'exit', exit_code: 0 } }]
  const input = [
    { type: 'function_call_output', call_id: 'call_1', output: 'sunny' },
    { type: 'computer_call_output', call_id: 'call_2', output: screen },
    { type: 'shell_call_output', call_id: 'call_3', output: shown },
    { type: 'local_shell_call_output', id: 'call_4', output: '{"stdout":"a.ts"}' },
    { type: 'apply_patch_call_output', call_id: 'call_5', status: 'failed', output: 'no file' },
    { type: 'item_reference', id: 'msg_1' },
  ]
  const request = { method: 'POST', body: JSON.stringify({ model: 'gpt-5', input }) }
  await (await stepwell.fetch(`${server.url}/v1/responses`, request)).text()
  expect(steps[0]?.generation?.messages).toEqual([
    { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    { role: 'tool', tool_call_id: 'call_2', content: [screen] },
    { role: 'tool', tool_call_id: 'call_3', content: shown },
    { role: 'tool', tool_call_id: 'call_4', content: '{"stdout":"a.ts"}' },
    { role: 'tool', tool_call_id: 'call_5', content: 'no file' },
    { role: 'assistant', content: [{ type: 'item_reference', id: 'msg_1' }] },
  ])
})
