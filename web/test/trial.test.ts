import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSettings, withNumber } from '../src/pages/prompts/new-version/settings.js'
import { renderMessages } from '../src/pages/prompts/template.js'
import { titleOf, variablesOf } from '../src/pages/prompts/try/items.js'
import { NOTHING, stateOf, withEvent } from '../src/pages/prompts/try/run.js'

test.each([
  [{ question: 'a', other: 1 }, ['question', 'shop'], { question: 'a' }],
  [{ variables: { question: 'b' } }, ['question'], { question: 'b' }],
  [{ content: 'c' }, ['question'], { question: 'c' }],
  [{ content: 'c' }, ['question', 'shop'], {}],
  ['d', ['question'], { question: 'd' }],
  [null, [], {}],
  [{ messages: [] }, ['question'], {}],
])('the input %j has for %j the values %j', (input, names, values) => {
  expect(variablesOf(input, names)).toEqual(values)
})

test('a title shows texts as they are, other values as JSON', () => {
  expect(titleOf({ a: 'text', b: { c: 1 } })).toBe('text · {"c":1}')
})

test('an answer is what its events say, in any order of texts and calls of tools', () => {
  const answer = [
    { type: 'usage', inputTokens: 3 } as const,
    { type: 'text', text: 'Hel' } as const,
    { type: 'tool', index: 0, name: 'find' } as const,
    { type: 'text', text: 'lo' } as const,
    { type: 'tool', index: 0, arguments: '{"a":' } as const,
    { type: 'tool', index: 0, arguments: '1}' } as const,
    { type: 'usage', outputTokens: 2 } as const,
    { type: 'end', reason: 'stop' } as const,
  ].reduce(withEvent, NOTHING)
  expect(answer).toEqual({
    text: 'Hello',
    tools: [{ name: 'find', arguments: '{"a":1}' }],
    inputTokens: 3,
    outputTokens: 2,
    reason: 'stop',
  })
})

test.each([
  [{}, 'running'],
  [{ totalMs: 1, reason: 'stop' }, 'done'],
  [{ totalMs: 1, reason: 'tool_use' }, 'done'],
  [{ totalMs: 1, reason: null }, 'done'],
  [{ totalMs: 1, reason: 'length' }, 'cut at its limit of tokens'],
  [{ totalMs: 1, reason: 'max_tokens' }, 'cut at its limit of tokens'],
  [{ totalMs: 1, reason: '__proto__' }, 'done'],
  [{ totalMs: 1 }, 'cut off'],
  [{ totalMs: 1, problem: new Error('gone') }, 'failed'],
  [{ totalMs: 1, isStopped: true }, 'stopped'],
])('an answer with %j is %s', (answer, state) => {
  expect(stateOf({ ...NOTHING, ...answer })).toBe(state)
})

test('messages are filled in as the SDK does: nothing is escaped, objects are JSON, images stay', () => {
  const image = { type: 'image_url', image_url: { url: '{{a}}' } }
  expect(
    renderMessages(
      [
        { role: 'system', content: '{{a}} {{{b}}} {{b}} {{none}}|' },
        { role: 'user', content: [{ type: 'text', text: '{{a}}' }, image] },
      ],
      { a: `<"&'>`, b: { c: [1] } },
    ),
  ).toEqual([
    { role: 'system', content: `<"&'> {"c":[1]} {"c":[1]} |` },
    { role: 'user', content: [{ type: 'text', text: `<"&'>` }, image] },
  ])
})

test('a number among the settings changes it alone, and settings that are no object are left', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.double({ noNaN: true }),
      (given, value) => {
        // Texts of JSON have one zero, and own members of any name.
        const settings = JSON.parse(JSON.stringify(given))
        const number = value === 0 ? 0 : Number.isFinite(value) ? value : 1
        const text = JSON.stringify(settings)
        const changed = readSettings(withNumber(text, 'temperature', number))
        expect(changed).toEqual({ ...settings, temperature: number })
        const { temperature: _, ...others } = settings
        expect(readSettings(withNumber(text, 'temperature', undefined))).toEqual(others)
      },
    ),
  )
  expect(readSettings('')).toEqual({})
  for (const text of ['[1]', '{', 'null', '1']) expect(readSettings(text)).toBeUndefined()
})
