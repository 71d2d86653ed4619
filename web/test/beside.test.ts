import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { alignTurns, type TurnWords } from '../src/pages/thread/beside/align.js'
import { differencesOf, type Side } from '../src/pages/thread/beside/differences.js'
import { turnsOf } from '../src/pages/thread/beside/turns.js'
import type { Contents } from '../src/pages/thread/chat/contents.js'
import type { Outline } from '../src/pages/thread/outline/outline.js'
import { outlineOf } from './support/outlines.js'

const turn: fc.Arbitrary<TurnWords> = fc.record({
  text: fc
    .array(fc.constantFrom('refund', 'order', 'yes', 'flight', 'no', '42'), { maxLength: 4 })
    .map((words) => words.join(' ')),
  tools: fc.array(fc.constantFrom('book', 'think', 'cancel'), { maxLength: 3 }),
})
const turns = fc.array(turn, { maxLength: 14 })

describe('turns of two threads', () => {
  test('are each shown once, in the order of either thread', () => {
    fc.assert(
      fc.property(turns, turns, (left, right) => {
        const pairs = alignTurns(left, right)
        for (const [side, own] of [left, right].entries())
          expect(pairs.map((pair) => pair[side]).filter((place) => place !== -1)).toEqual(
            own.map((_, place) => place),
          )
        expect(pairs.some(([one, other]) => one < 0 && other < 0)).toBe(false)
      }),
    )
  })

  test('of a thread beside itself meet themselves', () => {
    fc.assert(
      fc.property(turns, (own) => {
        expect(alignTurns(own, own)).toEqual(own.map((_, place) => [place, place]))
      }),
    )
  })

  test('that only one of them has move no other one', () => {
    const distinct = fc.uniqueArray(turn, {
      maxLength: 14,
      selector: ({ text, tools }) => text + tools,
    })
    fc.assert(
      fc.property(distinct, fc.nat(14), fc.boolean(), (own, wanted, isLeft) => {
        const at = Math.min(wanted, own.length)
        const added = { text: 'something else entirely', tools: [] }
        const longer = own.toSpliced(at, 0, added)
        const pairs = isLeft ? alignTurns(longer, own) : alignTurns(own, longer)
        const alone = pairs.findIndex(([left, right]) => left < 0 || right < 0)
        expect(pairs[alone]).toEqual(isLeft ? [at, -1] : [-1, at])
        for (const [index, pair] of pairs.entries()) {
          if (index === alone) continue
          const [short, long] = isLeft ? [pair[1], pair[0]] : pair
          expect(long).toBe(short + (short >= at ? 1 : 0))
        }
      }),
    )
  })

  test('meet in the mirror as they do', () => {
    fc.assert(
      fc.property(turns, turns, (left, right) => {
        const met = (pairs: readonly (readonly [number, number])[]) =>
          pairs.filter(([one, other]) => one >= 0 && other >= 0).length
        expect(met(alignTurns(right, left))).toBe(met(alignTurns(left, right)))
      }),
    )
  })

  test('meet in the mirror when one close pair is as good as two distant ones', () => {
    const left = [
      { text: 'refund', tools: [] },
      { text: '', tools: ['book', 'think'] },
    ]
    const right = [
      { text: '', tools: ['cancel', 'book'] },
      { text: 'yes refund', tools: ['book'] },
      { text: 'refund', tools: ['book'] },
    ]
    const met = (pairs: readonly (readonly [number, number])[]) =>
      pairs.filter(([one, other]) => one >= 0 && other >= 0)
    expect(met(alignTurns(left, right))).toHaveLength(2)
    expect(met(alignTurns(right, left))).toHaveLength(2)
  })

  test('meet when they are worded anew', () => {
    const say = (...texts: string[]) => texts.map((text) => ({ text, tools: [] }))
    expect(
      alignTurns(
        say('I want a refund', 'for order 42', 'thank you'),
        say('Hello there', 'I would like a refund', 'it is order 42', 'thank you so much'),
      ),
    ).toEqual([
      [-1, 0],
      [0, 1],
      [1, 2],
      [2, 3],
    ])
  })

  test('of very long threads are paired in order between what they share', () => {
    const many = (prefix: string) =>
      Array.from({ length: 2500 }, (_, place) => ({ text: `${prefix} ${place}`, tools: [] }))
    const [first, last] = [
      { text: 'first', tools: [] },
      { text: 'last', tools: [] },
    ]
    const pairs = alignTurns([first, ...many('a'), last], [first, ...many('b'), last])
    expect(pairs).toHaveLength(2502)
    expect(pairs.every(([left, right]) => left === right)).toBe(true)
  })
})

const sideOf = (
  outline: Outline,
  said: Readonly<Record<number, string>>,
  given: Readonly<Record<number, string>> = {},
): Side => {
  const messages = Object.entries(said).map(([place, output]) => [
    outline.ids[Number(place)],
    { output, input: null, generation: null },
  ])
  const tools = Object.entries(given).map(([place, inputPreview]) => [
    outline.ids[Number(place)],
    { inputPreview },
  ])
  return {
    outline,
    contents: {
      messages: new Map(messages as never),
      tools: new Map(tools as never),
      states: new Map(),
    } satisfies Contents,
  }
}

describe('the differences of two turns', () => {
  const types = ['user_message', ['run', 0], ['tool', 1], ['tool', 1], 'assistant_message'] as const
  const outline = (names: readonly string[]) =>
    outlineOf(types, { name: [-1, -1, 0, 1, -1] }, names)
  const compare = (left: Side, right: Side) =>
    differencesOf(left, turnsOf(left.outline)[0], right, turnsOf(right.outline)[0])
  const one = sideOf(outline(['book', 'think']), { 0: 'hello', 4: 'done' }, { 2: '{"a":1}' })

  test('are none for equal ones', () => {
    expect(compare(one, one)).toEqual([])
  })

  test('name the question, the calls and the answer', () => {
    const other = sideOf(outline(['book', 'cancel']), { 0: 'hi', 4: '' })
    expect(compare(one, other)).toEqual([
      'different question',
      'only left calls think',
      'only right calls cancel',
      'no answer on the right',
    ])
  })

  test('name another order and other arguments of the same calls', () => {
    expect(compare(one, sideOf(outline(['think', 'book']), { 0: 'hello', 4: 'done' }))).toEqual([
      'calls in another order',
    ])
    const other = sideOf(outline(['book', 'think']), { 0: 'hello', 4: 'done' }, { 2: '{"a":2}' })
    expect(compare(one, other)).toEqual(['other arguments for book'])
  })

  test('say which thread has a turn that the other has not', () => {
    const [turn] = turnsOf(one.outline)
    expect(differencesOf(one, turn, one, undefined)).toEqual(['only in the left thread'])
    expect(differencesOf(one, undefined, one, turn)).toEqual(['only in the right thread'])
  })
})

describe('runs of threads without messages', () => {
  const outline = () =>
    outlineOf(['run', ['llm', 1], ['tool', 1], 'run'], { name: [0, -1, 1, 0] }, ['agent', 'book'])
  const compare = (left: Side, right: Side) =>
    turnsOf(left.outline).map((turn, index) =>
      differencesOf(left, turn, right, turnsOf(right.outline)[index]),
    )
  const side = (more: Readonly<Record<number, object>>): Side => {
    const { contents, ...rest } = sideOf(outline(), {})
    const messages = Object.entries(more).map(([place, message]) => [
      `s${place}`,
      { output: null, input: null, generation: null, ...message },
    ])
    return { ...rest, contents: { ...contents, messages: new Map(messages as never) } }
  }

  test('are a turn each, with their calls of tools and answers of models', () => {
    expect(
      turnsOf(outline()).map(({ root, tools, answers, items }) => ({
        root,
        tools,
        answers,
        shown: items.map(({ kind, place }) => `${kind} ${place}`),
      })),
    ).toEqual([
      { root: 0, tools: [2], answers: [1], shown: ['work 0', 'speech 1', 'tool 2'] },
      { root: 3, tools: [], answers: [], shown: ['work 3'] },
    ])
  })

  test('differ by their input, their output, and the answer of a model where they have none', () => {
    const one = side({ 0: { input: { q: 1 }, output: { a: 1 } }, 3: { output: 'done' } })
    expect(compare(one, one)).toEqual([[], []])
    const input = side({ 0: { input: { q: 2 }, output: { a: 1 } }, 3: { output: 'done' } })
    expect(compare(one, input)).toEqual([['different input'], []])
    const output = side({ 0: { input: { q: 1 }, output: { a: 2 } }, 3: { output: 'undone' } })
    expect(compare(one, output)).toEqual([['different answer'], ['different answer']])
    const [said, unsaid] = ['yes', 'no'].map((content) =>
      side({ 1: { generation: { messageCompletion: { role: 'assistant', content } } } }),
    ) as [Side, Side]
    expect(compare(said, unsaid)).toEqual([['different answer'], []])
  })
})

test('every step of a thread is in one turn, with all its calls', () => {
  const outline = outlineOf(
    [
      'system_message',
      'user_message',
      'llm',
      ['tool', 1],
      'llm',
      'user_message',
      'assistant_message',
    ],
    { tokens: [null, null, 5, null, 7, null, null] },
  )
  expect(
    turnsOf(outline).map(({ question, tools, answers, tokens }) => ({
      question,
      tools,
      answers,
      tokens,
    })),
  ).toEqual([
    { question: -1, tools: [], answers: [0], tokens: 0 },
    { question: 1, tools: [3], answers: [2, 4], tokens: 12 },
    { question: 5, tools: [], answers: [6], tokens: 0 },
  ])
})
