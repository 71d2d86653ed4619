import fc from 'fast-check'
import { expect, test } from 'vitest'
import { excerptOf } from '../src/kernel/excerpts/excerpt.js'
import { MAX_EXCERPT } from '../src/kernel/excerpts/shorten.js'

const LONE_SURROGATE = /\p{Surrogate}/u
const call = { type: 'function', function: { name: 'find', arguments: '{"city":"Rome","days":3}' } }

test.each<[string, unknown, string]>([
  ['a text', 'Where is\n\n my bag?', 'Where is my bag?'],
  ['the content of a message', { content: 'Where is my bag?' }, 'Where is my bag?'],
  ['nothing', null, ''],
  ['an empty object', {}, ''],
  ['false', false, 'false'],
  [
    'the members of an object',
    { city: 'Rome', days: 3, last: null },
    'city: Rome, days: 3, last: null',
  ],
  ['values inside others', { found: [{ id: 1 }, 'x'] }, 'found: [{id: 1}, x]'],
  ['the items of a list', ['a', 1, true], 'a, 1, true'],
  [
    'the last message of several',
    [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Where is my bag?' },
    ],
    'Where is my bag?',
  ],
  ['messages in an object', { messages: [{ role: 'user', content: 'Hi' }], model: 'm' }, 'Hi'],
  [
    'the message before one that says nothing',
    [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null },
    ],
    'Hi',
  ],
  [
    'the tools that an answer of OpenAI calls',
    { role: 'assistant', content: null, tool_calls: [call, call] },
    'find(city: Rome, days: 3) find(city: Rome, days: 3)',
  ],
  [
    'a text and the tool that follows it',
    { role: 'assistant', content: 'Let me see.', tool_calls: [call] },
    'Let me see. find(city: Rome, days: 3)',
  ],
  [
    'arguments that are not JSON as the model wrote them',
    { role: 'assistant', tool_calls: [{ function: { name: 'find', arguments: '{"city":' } }] },
    'find({"city":)',
  ],
  [
    'the answer of Anthropic without its thoughts',
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', name: 'find', input: { city: 'Rome' } },
      ],
    },
    'Let me see. find(city: Rome)',
  ],
  [
    'the result of a tool of Anthropic',
    [
      {
        role: 'user',
        content: [{ type: 'tool_result', content: [{ type: 'text', text: '3 bags' }] }],
      },
    ],
    '3 bags',
  ],
  [
    'the parts of Gemini',
    {
      role: 'model',
      parts: [{ text: 'So' }, { functionCall: { name: 'find', args: { city: 'Rome' } } }],
    },
    'So find(city: Rome)',
  ],
  [
    'the answer of Gemini',
    { candidates: [{ content: { role: 'model', parts: [{ text: 'Here' }] } }] },
    'Here',
  ],
  [
    'the answer of OpenAI',
    { choices: [{ message: { role: 'assistant', content: 'Here' } }] },
    'Here',
  ],
  [
    'an item of the Responses API',
    [{ type: 'function_call', name: 'find', arguments: '{"city":"Rome"}' }],
    'find(city: Rome)',
  ],
  ['the result of such a call', [{ type: 'function_call_output', output: '3 bags' }], '3 bags'],
  [
    'the call of the AI SDK',
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolName: 'find', input: { city: 'Rome' } }],
    },
    'find(city: Rome)',
  ],
  [
    'a picture by its kind',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'This?' },
          { type: 'image_url', image_url: {} },
        ],
      },
    ],
    'This? [image]',
  ],
])('an excerpt has %s', (_, value, expected) => {
  expect(excerptOf(value)).toBe(expected)
})

test('any value has an excerpt of one line that is no longer than allowed', () => {
  fc.assert(
    fc.property(fc.anything({ maxDepth: 6 }), (value) => {
      // Values arrive as JSON.
      const sent: unknown = JSON.parse(JSON.stringify(value) ?? 'null')
      const excerpt = excerptOf(sent)
      expect(excerpt.length).toBeLessThanOrEqual(MAX_EXCERPT)
      expect(excerpt).not.toMatch(/[\n\r\t]|^ | $/)
    }),
  )
})

test('a cut is at the border of a grapheme, and marked', () => {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const unit = fc.constantFrom('a', 'é', 'e\u0301', '한', '👩‍👩‍👧‍👦', '🇮🇹', '👍🏽', 'न्दी')
  fc.assert(
    fc.property(fc.array(unit, { minLength: 125, maxLength: 400 }), (units) => {
      const text = units.join('')
      const excerpt = excerptOf(text)
      expect(excerpt.length).toBeLessThanOrEqual(MAX_EXCERPT)
      expect(excerpt.length).toBeGreaterThan(MAX_EXCERPT - 50)
      expect(excerpt.endsWith('…')).toBe(true)
      const kept = excerpt.slice(0, -1)
      const borders = new Set([...graphemes.segment(text)].map(({ index }) => index))
      expect(text.startsWith(kept)).toBe(true)
      expect(borders.has(kept.length)).toBe(true)
    }),
  )
})

test('a grapheme without an end is cut, and never a surrogate pair', () => {
  const marks = `e${'\u0301'.repeat(400)}`
  expect(excerptOf(marks)).toHaveLength(MAX_EXCERPT)
  expect(LONE_SURROGATE.test(excerptOf(`a${'😀\u200d'.repeat(200)}`))).toBe(false)
  expect(LONE_SURROGATE.test(excerptOf(`${'😀\u200d'.repeat(200)}`))).toBe(false)
  // Pieces of a long text are cut as well, white space and all.
  for (const spaces of [100, 237, 238, 239, 1995, 1996, 1997, 1998])
    expect(excerptOf(`a${' '.repeat(spaces)}${'😀'.repeat(50)}`)).not.toMatch(LONE_SURROGATE)
})

test('a text that fits is kept as it is, lone surrogates included', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 50 }),
      fc.constant('\ud800'),
      (text, lone) => {
        const expected = `${text}${lone}x`.replace(/\s+/g, ' ').trim()
        expect(excerptOf(`${text}${lone}x`)).toBe(expected)
      },
    ),
  )
})
