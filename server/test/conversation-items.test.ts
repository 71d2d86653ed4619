import { createService, type Service } from '@stepwell/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import type { StepInput } from '../../src/types.js'

// Conversations as items of datasets.
let service: Service
let api: StepwellClient['api']
let datasetId: string
beforeAll(async () => {
  service = await createService({ limits: { payloadBytes: 20_000 } })
  const { apiKey } = await service.createProject('conversations')
  api = new StepwellClient({ apiKey, fetch: service.fetch }).api
  datasetId = (await api.createDataset({ name: 'talks' })).id
})
afterAll(() => service?.close())

type Step = StepInput

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString()
const call = (id: string, name: string, args: object) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
})

/** Records a thread whose steps begin one second after the other, in any order of arrival; ids get its prefix. */
const record = async (prefix: string, steps: Step[]) => {
  const placed = steps.map((step, second) => ({
    startTime: at(second),
    ...step,
    id: `${prefix} ${step.id}`,
    threadId: prefix,
    ...(step.parentId == null ? {} : { parentId: `${prefix} ${step.parentId}` }),
  }))
  await api.sendSteps(placed.toReversed())
}
const user = (id: string, content: string): Step => ({
  id,
  type: 'user_message',
  output: { content },
})
const assistant = (id: string, content: string): Step => ({
  id,
  type: 'assistant_message',
  output: { content },
})

describe('a conversation of recorded messages', () => {
  beforeAll(() =>
    record('plain', [
      { id: 'system', type: 'system_message', output: { content: 'Be brief.' } },
      user('u1', 'Hi'),
      assistant('a1', 'Hello'),
      user('u2', 'Where is it?'),
      { id: 'run', type: 'run', input: { content: 'Where is it?' } },
      assistant('a2', 'On its way.'),
      user('u3', 'Thanks'),
    ]),
  )

  test('ends with the message of the user when nobody answered it', async () => {
    const item = await api.addThreadToDataset(datasetId, 'plain')
    expect(item).toMatchObject({
      datasetId,
      input: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello' },
          { role: 'user', content: 'Where is it?' },
          { role: 'assistant', content: 'On its way.' },
          { role: 'user', content: 'Thanks' },
        ],
      },
      expectedOutput: null,
      metadata: { threadId: 'plain', group: 'plain' },
      stepId: 'plain u3',
    })
  })

  test('has the answer that it ends with as the expected output', async () => {
    const item = await api.addThreadToDataset(datasetId, 'plain', 'plain a2', { group: 'mine' })
    expect(item).toMatchObject({
      expectedOutput: { role: 'assistant', content: 'On its way.' },
      metadata: { threadId: 'plain', group: 'mine' },
      stepId: 'plain a2',
    })
    expect((item.input as { messages: object[] }).messages.at(-1)).toEqual({
      role: 'user',
      content: 'Where is it?',
    })
  })

  test('ends with any message that is named, in both spellings', async () => {
    const item = await api.add_thread_to_dataset({
      dataset_id: datasetId,
      thread_id: 'plain',
      up_to_step_id: 'plain u1',
    })
    expect(item).toMatchObject({
      input: {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
      expected_output: null,
    })
  })

  test('fits a dataset of generations too', async () => {
    const { id } = await api.createDataset({ name: 'calls', type: 'generation' })
    expect(await api.addThreadToDataset(id, 'plain')).toMatchObject({ datasetId: id })
  })

  test('stays when its thread is deleted', async () => {
    await record('gone', [user('u', 'Hi'), assistant('a', 'Hello')])
    const { id } = await api.addThreadToDataset(datasetId, 'gone')
    await api.deleteThread('gone')
    expect(await api.getDatasetItem(id)).toMatchObject({
      input: { messages: [{ role: 'user', content: 'Hi' }] },
      expectedOutput: { content: 'Hello' },
    })
  })
})

describe('calls of tools', () => {
  const search = call('c1', 'search', { order: 7 })
  const seen = [
    { role: 'system', content: 'You sell shoes.' },
    { role: 'user', content: 'Where is 7?' },
    { role: 'assistant', content: null, tool_calls: [search] },
    { role: 'tool', tool_call_id: 'c1', content: 'in Lyon' },
  ]
  beforeAll(() =>
    record('seen', [
      user('u1', 'Where is 7?'),
      {
        id: 'm1',
        type: 'llm',
        generation: { type: 'CHAT', messages: seen.slice(0, 2), messageCompletion: seen[2] },
      },
      {
        id: 't1',
        type: 'tool',
        name: 'search',
        input: { order: 7 },
        output: { content: 'in Lyon' },
      },
      {
        id: 'm2',
        type: 'llm',
        generation: {
          type: 'CHAT',
          messages: seen,
          messageCompletion: { role: 'assistant', content: 'It is in Lyon.' },
        },
      },
      assistant('a1', 'It is in Lyon.'),
      user('u2', 'When is it here?'),
      assistant('a2', 'Tomorrow.'),
    ]),
  )

  test('of earlier turns are kept as the model saw them', async () => {
    const { input, expectedOutput } = await api.addThreadToDataset(datasetId, 'seen')
    expect(input).toEqual({
      messages: [
        { role: 'user', content: 'Where is 7?' },
        { role: 'assistant', content: null, tool_calls: [search] },
        { role: 'tool', tool_call_id: 'c1', content: 'in Lyon' },
        { role: 'assistant', content: 'It is in Lyon.' },
        { role: 'user', content: 'When is it here?' },
      ],
    })
    expect(expectedOutput).toEqual({ role: 'assistant', content: 'Tomorrow.' })
  })

  test('of the turn that the answer ends are left to whoever answers again', async () => {
    const { input } = await api.addThreadToDataset(datasetId, 'seen', 'seen a1')
    expect(input).toEqual({ messages: [{ role: 'user', content: 'Where is 7?' }] })
  })

  test('are in a call of a model up to which the conversation goes', async () => {
    const item = await api.addThreadToDataset(datasetId, 'seen', 'seen m2')
    expect(item.input).toEqual({ messages: seen })
    expect(item.expectedOutput).toEqual({ role: 'assistant', content: 'It is in Lyon.' })
    const first = await api.addThreadToDataset(datasetId, 'seen', 'seen m1')
    expect(first.expectedOutput).toEqual(seen[2])
  })

  test('without a recorded model are those of the tools, without the tools that these called', async () => {
    await record('tools', [
      user('u1', 'Where is 7?'),
      { id: 't1', type: 'tool', name: 'search', input: { order: 7 }, output: { city: 'Lyon' } },
      { id: 'inner', type: 'tool', name: 'fetch', parentId: 't1' },
      assistant('a1', 'In Lyon.'),
      user('u2', 'Thanks'),
    ])
    const { input } = await api.addThreadToDataset(datasetId, 'tools')
    expect(input).toEqual({
      messages: [
        { role: 'user', content: 'Where is 7?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('tools t1', 'search', { order: 7 })],
        },
        { role: 'tool', tool_call_id: 'tools t1', name: 'search', content: '{"city":"Lyon"}' },
        { role: 'assistant', content: 'In Lyon.' },
        { role: 'user', content: 'Thanks' },
      ],
    })
  })

  test('that no later call of a model saw have the results of the tools that ran', async () => {
    const hangUp = call('c9', 'hang_up', {})
    const end = { role: 'assistant', content: 'Bye', tool_calls: [hangUp] }
    await record('last', [
      user('u1', 'Bye'),
      {
        id: 'm1',
        type: 'llm',
        generation: {
          type: 'CHAT',
          messages: [{ role: 'user', content: 'Bye' }],
          messageCompletion: end,
        },
      },
      { id: 't1', type: 'tool', name: 'hang_up', output: { content: 'done' } },
      assistant('a1', 'Bye'),
      user('u2', 'Still there?'),
    ])
    expect((await api.addThreadToDataset(datasetId, 'last')).input).toEqual({
      messages: [
        { role: 'user', content: 'Bye' },
        end,
        { role: 'tool', tool_call_id: 'c9', name: 'hang_up', content: 'done' },
        { role: 'assistant', content: 'Bye' },
        { role: 'user', content: 'Still there?' },
      ],
    })
  })
})

describe('a thread without recorded answers', () => {
  test('has that of the last call of a model', async () => {
    const answer = { role: 'assistant', content: 'Hello' }
    await record('answered', [
      user('u1', 'Hi'),
      {
        id: 'm',
        type: 'llm',
        generation: { type: 'CHAT', messages: [], messageCompletion: answer },
      },
    ])
    expect(await api.addThreadToDataset(datasetId, 'answered')).toMatchObject({
      input: { messages: [{ role: 'user', content: 'Hi' }] },
      expectedOutput: answer,
      stepId: 'answered m',
    })
  })

  test('and without recorded messages is the last call of a model', async () => {
    const messages = [{ role: 'user', content: 'Hi' }]
    await record('model', [
      {
        id: 'm1',
        type: 'llm',
        generation: { type: 'CHAT', messages: [], messageCompletion: null },
      },
      {
        id: 'm2',
        type: 'llm',
        generation: {
          type: 'CHAT',
          messages,
          messageCompletion: { role: 'assistant', content: 'Hello' },
        },
      },
    ])
    expect(await api.addThreadToDataset(datasetId, 'model')).toMatchObject({
      input: { messages },
      expectedOutput: { content: 'Hello' },
    })
    await record('completion', [
      {
        id: 'm',
        type: 'llm',
        generation: { type: 'COMPLETION', prompt: 'Once', completion: ' upon' },
      },
    ])
    expect(await api.addThreadToDataset(datasetId, 'completion')).toMatchObject({
      input: { messages: [{ role: 'user', content: 'Once' }] },
      expectedOutput: { role: 'assistant', content: ' upon' },
    })
  })
})

test('messages of any form keep their contents', async () => {
  const parts = [{ type: 'text', text: 'Look' }]
  await record('forms', [
    { id: 'parts', type: 'user_message', output: { content: parts } },
    { id: 'object', type: 'user_message', output: { city: 'Lyon' } },
    { id: 'input', type: 'user_message', input: { content: 'sent as input' } },
    { id: 'empty', type: 'user_message' },
  ])
  expect((await api.addThreadToDataset(datasetId, 'forms')).input).toEqual({
    messages: [
      { role: 'user', content: parts },
      { role: 'user', content: '{"city":"Lyon"}' },
      { role: 'user', content: 'sent as input' },
      { role: 'user', content: '' },
    ],
  })
})

test('a long conversation keeps the order of its messages', async () => {
  await record(
    'long',
    Array.from({ length: 55 }, (_, index) =>
      index % 2 === 0 ? user(`s${index}`, `u${index}`) : assistant(`s${index}`, `a${index}`),
    ),
  )
  const { input } = await api.addThreadToDataset(datasetId, 'long', 'long s54')
  expect(
    (input as { messages: { content: string }[] }).messages.map(({ content }) => content),
  ).toEqual(Array.from({ length: 55 }, (_, index) => `${index % 2 === 0 ? 'u' : 'a'}${index}`))
})

describe('an error names the argument', () => {
  beforeAll(async () => {
    await record('errors', [
      { id: 'run', type: 'run' },
      { id: 'tool', type: 'tool' },
    ])
    await record('large', [...['a', 'b', 'c'].map((id) => user(id, 'x'.repeat(9000)))])
  })

  test.each([
    ['nothing', undefined, 'NOT_FOUND', 'threadId: no thread has the id "nothing"'],
    ['errors', undefined, 'INVALID_ARGUMENT', 'threadId: the thread "errors" has no messages'],
    [
      'errors',
      'errors run',
      'INVALID_ARGUMENT',
      'upToStepId: expected a message or a call of a model, got a step of the type run',
    ],
    [
      'errors',
      'errors tool',
      'INVALID_ARGUMENT',
      'upToStepId: expected a message or a call of a model, got a step of the type tool',
    ],
    [
      'errors',
      'plain u1',
      'NOT_FOUND',
      'upToStepId: no step of the thread "errors" has the id "plain u1"',
    ],
    ['large', undefined, 'TOO_LARGE', 'threadId: expected messages of at most 20000 bytes'],
  ])('%s up to %s', async (threadId, upToStepId, code, message) => {
    await expect(api.addThreadToDataset(datasetId, threadId, upToStepId)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
  })

  test('of an unknown dataset, and leaves no item', async () => {
    await expect(api.addThreadToDataset('none', 'plain')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    const { id } = await api.createDataset({ name: 'empty' })
    await expect(api.addThreadToDataset(id, 'errors')).rejects.toThrow()
    expect((await api.getDatasetItems({ datasetId: id })).data).toEqual([])
  })
})
