// Values beyond the limits of the SDK, which knows those of the service by default, and beyond those of a stricter one.
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { useService } from './support/service.js'

const usual = useService()
const strict = useService('fetch', { limits: { metadataBytes: 20_000, textBytes: 20_000 } })
/** Within the limits of the SDK, and beyond those of the strict service. */
const LONG = 'é'.repeat(99_000)

test('a model call that is too large is stored with less of its content, and with its scores and attachments', async () => {
  const client = await strict.newClient({ onReport: () => {} })
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
  for (const shortened of [step?.metadata, step?.attachments[0]?.metadata])
    expect(JSON.stringify(shortened)).toContain('[cut: ')
  // The service refused neither.
  expect(step?.generation).toMatchObject({ messages, messageCompletion: { role: 'assistant' } })
})

describe('a value of a million characters and more', () => {
  test.each(['x', 'é', '中', '"', '\u0001', '🙂'])(
    'of %j is cut to the limits of the service, and nothing beside it',
    async (character) => {
      const reports: string[] = []
      const client = await usual.newClient({ onReport: (message) => reports.push(message) })
      const long = character.repeat(3_100_000 / character.length)
      client.trace({ id: 'step', name: 'step', input: { question: 'why' } }, (step) => {
        step.metadata = { page: long, other: 1 }
        step.error = long
        step.generation = { provider: 'p', messageCompletion: { content: long } }
        step.output = long
      })
      await client
        .thread({ id: 'talk', name: long, tags: ['a'], metadata: { page: long } })
        .upsert()
      expect(await client.flush()).toMatchObject({ dropped: 0, droppedThreadChanges: 0 })
      expect(reports).toEqual([])
      const step = await client.api.getStep('step')
      expect(step?.input).toEqual({ question: 'why' })
      expect(step?.generation).toMatchObject({ provider: 'p' })
      const thread = await client.api.getThread('talk')
      expect(thread?.tags).toEqual(['a'])
      const { metadata, error, output, generation } = step ?? {}
      for (const value of [
        metadata,
        error,
        output,
        generation?.messageCompletion,
        thread?.name,
        thread?.metadata,
      ]) {
        const text = JSON.stringify(value)
        expect(text).toContain('[cut: ')
        // Most of the room is used.
        expect(Buffer.byteLength(text)).toBeGreaterThan(800_000)
      }
    },
  )
})

test('a refusal takes content from the field that it names, and from no other', async () => {
  const reports: string[] = []
  const client = await strict.newClient({ onReport: (message) => reports.push(message) })
  const input = { question: 'q'.repeat(50_000) }
  client.trace({ id: 'step', name: 'step', input, metadata: { page: LONG } }, (step) => {
    step.error = LONG
    step.output = { answer: 'a'.repeat(50_000) }
  })
  expect(await client.flush()).toMatchObject({ delivered: 1, dropped: 0 })
  const step = await client.api.getStep('step')
  expect(step).toMatchObject({ input, output: { answer: 'a'.repeat(50_000) } })
  expect([step?.error, JSON.stringify(step?.metadata)]).toEqual([
    expect.stringContaining('[cut: '),
    expect.stringContaining('[cut: '),
  ])
  const reported = reports.map((report) => /it is sent with less of its (\w+)$/.exec(report)?.[1])
  expect(reported.toSorted()).toEqual(['error', 'metadata'])
})

test('a change of a thread loses what is too large, and nothing else', async () => {
  const client = await strict.newClient({ onReport: () => {} })
  const thread = { id: 'talk', participantId: 'ada', tags: ['a'] }
  await client.thread({ ...thread, name: LONG, metadata: { page: LONG, plan: 'pro' } }).upsert()
  const { droppedThreadChanges } = await client.flush()
  expect(droppedThreadChanges).toBe(0)
  const stored = await client.api.getThread('talk')
  expect(stored).toMatchObject({ participant: { identifier: 'ada' }, tags: ['a'] })
  expect([stored?.name, JSON.stringify(stored?.metadata)]).toEqual([
    expect.stringContaining('[cut: '),
    expect.stringContaining('[cut: '),
  ])
})

test('metadata that does not fit beside that of its thread is left out of a change', async () => {
  const client = await strict.newClient({ onReport: () => {} })
  const whole = { whole: 'w'.repeat(19_900) }
  await client.thread({ id: 'full', metadata: whole }).upsert()
  await client
    .thread({ id: 'full', name: 'Order 7', metadata: { more: 'm'.repeat(5000) } })
    .upsert()
  const { droppedThreadChanges } = await client.flush()
  expect(droppedThreadChanges).toBe(0)
  const stored = await client.api.getThread('full')
  expect([stored?.name, stored?.metadata]).toEqual(['Order 7', whole])
})

test('a long comment is cut, and the scores beside it stay', async () => {
  const client = await usual.newClient({ maxValueLength: 1000 })
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
  expect(long?.comment).toMatch(/^c{850,950}… \[cut: \d+ of 5000 characters kept\]$/)
})

test('a tag that is too long to list steps by is cut, and takes nothing else of its step or thread', async () => {
  const reports: string[] = []
  const client = await usual.newClient({ onReport: (message) => reports.push(message) })
  const tags = ['short', randomBytes(3000).toString('base64')]
  const input = { question: 'why '.repeat(1000) }
  client.trace({ id: 'tagged', name: 'tagged', tags, input }, () => 'answer')
  await client.thread({ id: 'tagged', name: 'Order 7', tags }).upsert()
  expect(await client.flush()).toMatchObject({
    delivered: 1,
    pending: 0,
    dropped: 0,
    droppedThreadChanges: 0,
  })
  const cut = ['short', expect.stringMatching(/^.{850,990}… \[cut: \d+ of 4000 characters kept\]$/)]
  expect(await client.api.getStep('tagged')).toMatchObject({ tags: cut, input })
  expect(await client.api.getThread('tagged')).toMatchObject({ tags: cut, name: 'Order 7' })
  expect(reports).toEqual([expect.stringContaining('it is sent with less of its tags')])
})
