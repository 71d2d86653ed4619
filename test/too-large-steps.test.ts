// Steps within the limits of the SDK, which counts characters, and beyond those of the service, which counts bytes.
import { expect, test } from 'vitest'
import { useService } from './support/service.js'

const world = useService()
/** Within the limit of characters of one value, and beyond that of bytes. */
const LONG = 'é'.repeat(999_000)

test('a model call that is too large is stored with less of its content, and with its scores and attachments', async () => {
  const client = await world.newClient({ onReport: () => {} })
  const messages = ['user', 'assistant', 'user'].map((role) => ({
    role,
    content: 'word '.repeat(300),
  }))
  client.trace({ id: 'call', name: 'call', type: 'llm', metadata: { doc: LONG } }, (step) => {
    step.generation = {
      provider: 'openai',
      model: 'gpt-4o',
      messages,
      messageCompletion: { role: 'assistant', content: 'word '.repeat(900) },
      settings: { temperature: 0.5 },
      tags: ['one'],
      tokenCount: 12,
    }
    step.scores = Array.from({ length: 50 }, (_, at) => ({
      name: `s${at}`,
      type: 'AI',
      value: at,
      comment: 'It names the order, and is short, clear and to the point.',
    }))
    step.attachments = [
      { id: 'file', name: 'file', url: 'https://example.com/file', metadata: { text: LONG } },
    ]
  })
  expect(await client.flush()).toMatchObject({ delivered: 1, dropped: 0 })
  const step = await client.api.getStep('call')
  expect(step).toMatchObject({
    generation: {
      provider: 'openai',
      model: 'gpt-4o',
      settings: { temperature: 0.5 },
      tags: ['one'],
      tokenCount: 12,
    },
    attachments: [{ id: 'file', url: 'https://example.com/file' }],
  })
  expect(step?.scores.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 50 }, (_, at) => at),
  )
  for (const shortened of [
    step?.metadata,
    step?.generation?.messages,
    step?.attachments[0]?.metadata,
  ])
    expect(JSON.stringify(shortened)).toContain('[cut: ')
})

test('a long comment is cut, and the scores beside it stay', async () => {
  const client = await world.newClient({ maxValueLength: 1000 })
  client.trace({ id: 'judged', name: 'judged' }, (step) => {
    step.scores = ['long', 'short', 'none'].map((name) => ({
      name,
      type: 'AI',
      value: 1,
      comment: name === 'long' ? 'c'.repeat(5000) : name,
    }))
  })
  await client.flush()
  const { scores = [] } = (await client.api.getStep('judged')) ?? {}
  expect(scores.map(({ name }) => name).toSorted()).toEqual(['long', 'none', 'short'])
  const long = scores.find(({ name }) => name === 'long')
  expect(long?.comment).toMatch(/^c{900,1000}… \[cut: \d+ of 5000 characters kept\]$/)
})
