// The released client of Python checks types when it reads: answers to it hold only values that it knows, whoever recorded
// them. compat/ runs the client itself.
import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Ask, asker } from './support/ask.js'

let service: Service
let ask: Ask
beforeAll(async () => {
  service = await createService({ apiKey: 'k' })
  ask = asker(service, 'k')
})
afterAll(() => service?.close())

const python = (version: string) => ({
  'x-client-name': 'py-literal-client',
  'x-client-version': version,
})
const READ =
  'query($id: String!) { step(id: $id) { generation { messages messageCompletion tools } scores { type } } }'
const RECORD = `mutation($id: String!, $generation: GenerationPayloadInput, $scores: [ScorePayloadInput!]) {
  ingestStep(id: $id, type: llm, generation: $generation, scores: $scores) { ok message }
}`

let calls = 0
/** Records a call, and returns it as a version of the client reads it, and as others do. */
const recorded = async (generation: object, version = '0.1.300') => {
  const id = `call ${++calls}`
  const { ingestStep } = await ask(RECORD, { id, generation })
  expect(ingestStep).toEqual({ ok: true, message: null })
  const asStored = (await ask(READ, { id })).step.generation
  expect(asStored).toMatchObject(generation)
  return (await ask(READ, { id }, python(version))).step.generation
}
const messages = async (sent: readonly unknown[], version?: string) =>
  (await recorded({ messages: sent }, version)).messages

describe('the Python client reads', () => {
  test('roles that it does not know by the name that it has for them', async () => {
    const roles = ['developer', 'human', 'ai', 'model', 'critic', 'constructor', 'tool', null]
    expect(await messages(roles.map((role) => ({ role, content: 'x' })))).toEqual(
      ['system', 'user', 'assistant', 'assistant', 'user', 'user', 'tool', null].map((role) => ({
        role,
        content: 'x',
      })),
    )
    const { messageCompletion } = await recorded({
      messageCompletion: { role: 'critic', content: 'Bad.' },
    })
    expect(messageCompletion).toEqual({ role: 'assistant', content: 'Bad.' })
  })

  test('parts of messages that it does not know as their JSON', async () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }
    const known = [
      { type: 'text', text: 'Hi.' },
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
    ]
    expect(await messages([{ role: 'user', content: [...known, audio, 'Ho.', 5] }])).toEqual([
      {
        role: 'user',
        content: [
          ...known,
          { type: 'text', text: JSON.stringify(audio) },
          { type: 'text', text: 'Ho.' },
          { type: 'text', text: '5' },
        ],
      },
    ])
  })

  test('the image of a message in the form of its version', async () => {
    const url = 'https://x.test/a.png'
    const sent = [url, { url }].map((image_url) => ({
      role: 'user',
      content: [{ type: 'image_url', image_url }],
    }))
    const images = async (version: string) =>
      (await messages(sent, version)).map(
        ({ content: [part] }: { content: [{ image_url: unknown }] }) => part.image_url,
      )
    expect(await images('0.0.509')).toEqual([url, url])
    for (const version of ['0.0.600', '0.1.300', ''])
      expect(await images(version)).toEqual([{ url }, { url }])
  })

  test('messages, calls and tools that are no objects as objects', async () => {
    expect(await messages(['Hi.', null, { role: 'tool', tool_call_id: 5, content: {} }])).toEqual([
      { role: 'user', content: 'Hi.' },
      { role: 'user', content: 'null' },
      { role: 'tool', tool_call_id: '5', content: [{ type: 'text', text: '{}' }] },
    ])
    expect(await messages([{ role: 'assistant', tool_calls: 'f', function_call: 'f' }])).toEqual([
      { role: 'assistant', tool_calls: [{ value: 'f' }], function_call: { value: 'f' } },
    ])
    expect((await recorded({ tools: [{ name: 'f' }, 'g', null] })).tools).toEqual([
      { name: 'f' },
      { value: 'g' },
      { value: null },
    ])
  })

  test('scores by code as those of AI, before it knew them', async () => {
    await ask(RECORD, {
      id: 'scored',
      scores: ['CODE', 'HUMAN'].map((type) => ({ id: type, type, name: type, value: 1 })),
    })
    const types = async (headers = {}) =>
      (await ask(READ, { id: 'scored' }, headers)).step.scores.map(
        ({ type }: { type: string }) => type,
      )
    expect(await types(python('0.0.500'))).toEqual(['AI', 'HUMAN'])
    expect(await types(python('0.0.629'))).toEqual(['AI', 'HUMAN'])
    expect(await types(python('0.1.0'))).toEqual(['CODE', 'HUMAN'])
    expect(await types()).toEqual(['CODE', 'HUMAN'])
  })
})
