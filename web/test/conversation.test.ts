import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FLAG } from '../../generated/outline-flags.js'
import { STEP_TYPES } from '../generated/step-types.js'
import { chatItemsOf, itemOf } from '../src/pages/thread/chat/chat-items.js'
import { callsOf, saidIn } from '../src/pages/thread/chat/said.js'
import { outlineOf } from './support/outlines.js'

const shown = (...types: Parameters<typeof outlineOf>[0]) =>
  chatItemsOf(outlineOf(types)).map(({ kind, place }) => `${kind} ${place}`)

describe('a thread as a conversation', () => {
  test('has the calls of tools between its messages, and one entry for the steps around them', () => {
    expect(shown('user_message', 'run', ['llm', 1], ['tool', 1], 'assistant_message')).toEqual([
      'message 0',
      'work 1',
      'tool 3',
      'message 4',
    ])
  })

  test('shows answers of models where no message of the assistant has them, turn by turn', () => {
    expect(
      shown('user_message', 'llm', ['tool', 1], 'llm', 'user_message', 'llm', 'assistant_message'),
    ).toEqual(['message 0', 'speech 1', 'tool 2', 'speech 3', 'message 4', 'work 5', 'message 6'])
  })

  test('leaves calls of models inside of a tool to the work, as they speak to the tool', () => {
    expect(shown('user_message', 'tool', ['llm', 1], 'llm')).toEqual([
      'message 0',
      'work 1',
      'tool 1',
      'speech 3',
    ])
  })

  test('folds the middle of many calls, but never a failed one', () => {
    const outline = outlineOf(
      ['user_message', ...Array.from({ length: 20 }, () => 'tool' as const)],
      {
        flags: Array.from({ length: 21 }, (_, place) => (place === 10 ? FLAG.failed : 0)),
      },
    )
    const kinds = chatItemsOf(outline).map(({ kind, place }) => `${kind} ${place}`)
    expect(kinds).toEqual([
      'message 0',
      'tool 1',
      'tool 2',
      'tool 3',
      'more 4',
      'tool 10',
      'more 11',
      'tool 18',
      'tool 19',
      'tool 20',
    ])
    const counts = chatItemsOf(outline).map((item) => (item.kind === 'more' ? item.count : 0))
    expect(counts.filter((count) => count > 0)).toEqual([6, 7])
    const ids = new Set([outline.ids[5] ?? '', outline.ids[12] ?? ''])
    expect(chatItemsOf(outline, ids).filter(({ kind }) => kind === 'tool')).toHaveLength(20)
  })

  test('has an entry for every step from the first message on, and the exact one for each that shows', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEP_TYPES), { maxLength: 80 }), (types) => {
        const outline = outlineOf(types)
        const items = chatItemsOf(outline)
        const first = types.findIndex((type) => type.endsWith('_message'))
        for (let place = 0; place < types.length; place++) {
          const found = items[itemOf(items, place)]
          if (first < 0 || place < first) expect(found).toBeUndefined()
          else if (found?.kind === 'work' || found?.kind === 'more') {
            expect(found.place).toBeLessThanOrEqual(place)
            expect(found.until).toBeGreaterThan(place)
          } else expect(found?.place).toBe(place)
        }
      }),
    )
  })

  test('counts the steps and failures behind a message, and the time from the first to the last', () => {
    const outline = outlineOf(['user_message', 'run', ['retrieval', 1], ['retrieval', 1]], {
      start: [0, 10, 20, 100],
      duration: [null, 50, 30, 400],
      flags: [0, 0, 0, FLAG.failed],
    })
    expect(chatItemsOf(outline)[1]).toEqual({
      kind: 'work',
      place: 1,
      until: 4,
      count: 3,
      errors: 1,
      ms: 490,
    })
  })
})

test('names of called tools are read from any value without a fault', () => {
  expect(
    callsOf({
      tool_calls: [{ function: { name: 'book' } }, { name: 'think' }, null, { function: 1 }],
    }),
  ).toEqual(['book', 'think', 'a tool', 'a tool'])
  fc.assert(
    fc.property(fc.anything(), (value) => {
      for (const given of [value, { tool_calls: value }, { tool_calls: [value] }])
        for (const name of callsOf(given)) expect(typeof name).toBe('string')
    }),
  )
})

test('an output without words leaves it to the completion, which has the calls; one with words says them', () => {
  const messageCompletion = {
    role: 'assistant',
    content: null,
    tool_calls: [{ function: { name: 'search', arguments: '{}' } }],
  }
  const said = (output: unknown, completion: unknown = messageCompletion) =>
    saidIn({
      output,
      input: { content: 'asked' },
      generation: { messageCompletion: completion, completion: null },
    } as Parameters<typeof saidIn>[0])
  expect(callsOf(said({ content: null }))).toEqual(['search'])
  expect(said({ content: '', role: 'assistant' })).toBe(messageCompletion)
  expect(said({ content: 'found' })).toEqual({ content: 'found' })
  expect(said({ content: null, id: 7 })).toEqual({ content: null, id: 7 })
  expect(said({ content: null }, null)).toEqual({ content: null })
  expect(saidIn({ output: null, input: 'asked', generation: null })).toBe('asked')
})
