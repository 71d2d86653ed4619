import { expect, test } from 'vitest'
import type { Mask, StepwellClientOptions } from '../src/index.js'
import { useService } from './support/service.js'

const fixture = useService()

const data = {
  input: { card: '4111-1111' },
  output: { list: ['4111-1111'] },
  metadata: { card: '4111-1111' },
  generation: {
    prompt: '4111-1111',
    model: 'm',
    tokenCount: 3,
    messages: [{ role: 'user', content: '4111-1111' }],
  },
  error: new Error('no 4111-1111'),
  scores: [{ name: 's', type: 'AI' as const, value: 1, comment: '4111-1111' }],
  attachments: [{ id: 'a', name: '4111-1111', url: 'https://example.org/' }],
}

/** Records a step with a value in every field. Returns the stored step, and the reports. */
const recorded = async (options: Partial<StepwellClientOptions>, given: object = data) => {
  const reports: string[] = []
  const client = await fixture.newClient({ onReport: (text) => reports.push(text), ...options })
  client.step({ id: 'masked', name: 'masked', ...given }).end()
  await client.thread({ id: 't', name: '4111-1111', metadata: { a: '4111-1111' } }).upsert()
  await client.flush()
  const step = await client.api.getStep('masked')
  const thread = await client.api.getThread('t')
  expect(client.stats()).toMatchObject({ recorded: 1, delivered: 1, dropped: 0 })
  if (options.mask) expect(JSON.stringify([step, thread])).not.toContain('4111-1111')
  return { step, thread, reports }
}

test('a mask that returns JSON text loses no step: the text is kept in fields that can hold it', async () => {
  const mask: Mask = (value) => JSON.stringify(value).replaceAll('4111-1111', '[card]')
  const { step, thread, reports } = await recorded({ mask })
  expect(step).toMatchObject({
    input: { input: '{"card":"[card]"}' },
    output: { output: '{"list":["[card]"]}' },
    metadata: {
      value: '{"card":"[card]"}',
      withheld: {
        scores: 'expected a list, got a string',
        attachments: 'expected a list, got a string',
      },
    },
    generation: { metadata: { value: expect.stringContaining('"model":"m"') } },
    scores: [],
    attachments: [],
  })
  expect(thread).toMatchObject({ name: '"[card]"', metadata: { value: '{"a":"[card]"}' } })
  expect(reports).toEqual([expect.stringContaining('withheld')])
})

test.each<[string, Mask]>([
  ['a text', () => 'hidden'],
  ['a number', () => Number.NaN],
  ['a list of what is none', () => [1, 'x', null, { id: 5 }, ['deep']]],
  ['an object of other members', () => ({ id: {}, type: 'no', tokenCount: 'many', extra: 1n })],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a date', () => new Date(0)],
  ['a class', () => class Hidden {}],
  [
    'what cannot be read',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    },
  ],
  [
    'a failure',
    () => {
      throw new Error('mask')
    },
  ],
  ['a promise', async () => 'later'],
])('a mask that returns %s loses no step', async (_, mask) => {
  expect((await recorded({ mask })).step).toMatchObject({ name: 'masked' })
})

test('values of the wrong form from the application lose no step either', async () => {
  const { step } = await recorded(
    {},
    {
      generation: {
        model: 'm',
        temperature: 0.5,
        tokenCount: Number.NaN,
        duration: '1.5',
        prompt: [{ role: 'user' }],
        type: 'chat',
        tags: ['a', 1],
      },
      scores: [
        { name: 'fits', type: 'CODE', value: '0.5', by: 'me' },
        { name: 'is no number', type: 'CODE', value: Number.NaN },
        { type: 'CODE', value: 1 },
        { name: 'is yes', type: 'HUMAN', value: true },
      ],
      attachments: [{ name: 'without an id' }, { id: 'fits', size: 3 }],
      tags: [Object.create(null), Symbol('tag'), 'tag'],
    },
  )
  expect(step).toMatchObject({
    generation: {
      model: 'm',
      duration: 1.5,
      prompt: '[{"role":"user"}]',
      tags: ['a', '1'],
      metadata: { temperature: 0.5 },
    },
    scores: [
      { name: 'fits', value: 0.5 },
      { name: 'is yes', value: 1 },
    ],
    attachments: [{ id: 'fits' }],
    tags: ['{}', 'Symbol(tag)', 'tag'],
    metadata: {
      withheld: {
        generation: 'the wrong form: tokenCount, type',
        scores: 'the wrong form: [1].value, [2].name',
        attachments: 'the wrong form: [0].id',
      },
    },
  })
})
