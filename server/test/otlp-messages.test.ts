// Messages, instructions and definitions of tools as the schemas of OpenTelemetry's conventions allow them, in each of
// their generations, and as they do not.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { useSpans } from './support/record-span.js'

const spans = useSpans()
/** Stores a call with these attributes, and returns its step. */
const recorded = (attributes: Record<string, unknown>) =>
  spans.recorded({ 'gen_ai.operation.name': 'chat', ...attributes })

const ASKED = 'gen_ai.input.messages'
const ANSWERED = 'gen_ai.output.messages'
const INSTRUCTIONS = 'gen_ai.system_instructions'
const TOOLS = 'gen_ai.tool.definitions'

/** An attribute is written as the text of JSON, or with structure where a tracer can. */
const FORMS = [
  ['as JSON', (value: unknown) => JSON.stringify(value)],
  ['with structure', (value: unknown) => value],
] as const

const text = (content: string) => ({ type: 'text', content })
const blob = { type: 'blob', mime_type: 'image/png', modality: 'image', content: 'iVBORw0K' }
const uri = { type: 'uri', modality: 'audio', uri: 'https://example.com/a.mp3' }
const file = { type: 'file', mime_type: null, modality: 'video', file_id: 'file-1' }
const fileData = { type: 'file_data', modality: 'image', uri: 'gs://pictures/a.png' }
const thought = { type: 'reasoning', content: 'It rains.' }
const onServer = {
  type: 'server_tool_call',
  id: 's1',
  name: 'search',
  server_tool_call: { type: 'web_search', query: 'rain' },
}
const own = { type: 'of_this_house', anything: [1, { deep: true }] }

const VALID: readonly [name: string, asked: object[], expected: object[]][] = [
  ['a text', [{ role: 'user', parts: [text('Hi.')] }], [{ role: 'user', content: 'Hi.' }]],
  [
    'texts, which are one',
    [{ role: 'user', parts: [text('Hi.'), text('Ho.')] }],
    [{ role: 'user', content: 'Hi.\nHo.' }],
  ],
  ['no parts', [{ role: 'user', parts: [] }], [{ role: 'user', content: '' }]],
  [
    'a role of nobody’s list, and a name',
    [{ role: 'critic', name: 'Ada', parts: [text('Bad.')] }],
    [{ role: 'critic', name: 'Ada', content: 'Bad.' }],
  ],
  [
    'a call of a tool without id and arguments',
    [{ role: 'assistant', parts: [{ type: 'tool_call', name: 'weather' }] }],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'weather' } }],
      },
    ],
  ],
  [
    'calls at once, beside a text, and what came of them',
    [
      {
        role: 'assistant',
        parts: [
          text('A moment.'),
          { type: 'tool_call', id: 'c1', name: 'weather', arguments: { city: 'Oslo' } },
          { type: 'tool_call', id: 'c2', name: 'weather', arguments: '{"city":"Lima"}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool_call_response', id: 'c1', response: { sky: 'snow' } },
          { type: 'tool_call_response', id: 'c2', result: 'fog' },
        ],
      },
    ],
    [
      {
        role: 'assistant',
        content: 'A moment.',
        tool_calls: [
          { id: 'c1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
          { id: 'c2', function: { name: 'weather', arguments: '{"city":"Lima"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"sky":"snow"}' },
      { role: 'tool', tool_call_id: 'c2', content: 'fog' },
    ],
  ],
  [
    'every other kind of part, known or not',
    [
      {
        role: 'user',
        parts: [text('This?'), blob, uri, file, fileData, thought, onServer, own],
      },
    ],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'This?' },
          blob,
          uri,
          { type: 'file', file_id: 'file-1' },
          fileData,
          thought,
          onServer,
          own,
        ],
      },
    ],
  ],
]

test.each(VALID.flatMap((one) => FORMS.map((form) => [...one, ...form] as const)))(
  'messages that are valid are understood: %s',
  async (_, asked, expected, __, write) => {
    const { generation } = await recorded({ [ASKED]: write(asked) })
    expect(generation?.messages).toMatchObject(expected)
    expect(generation?.messages).toHaveLength(expected.length)
  },
)

test.each(FORMS)(
  'instructions, answers and tools that are valid are understood, %s',
  async (_, write) => {
    const weather = { type: 'function', name: 'weather', description: 'Of a city.', parameters: {} }
    const grep = { type: 'custom', name: 'grep', description: 'Finds.', response: null }
    const { generation } = await recorded({
      [INSTRUCTIONS]: write([text('Be kind.'), text('Be short.')]),
      [ASKED]: write([{ role: 'user', parts: [text('Hi.')] }]),
      [ANSWERED]: write([
        { role: 'assistant', parts: [thought, text('Ho.')], finish_reason: 'stop' },
        { role: 'assistant', parts: [text('Hey.')], finish_reason: 'length' },
      ]),
      [TOOLS]: write([weather, grep]),
    })
    expect(generation).toMatchObject({
      messages: [
        { role: 'system', content: 'Be kind.\nBe short.' },
        { role: 'user', content: 'Hi.' },
      ],
      messageCompletion: {
        role: 'assistant',
        content: [thought, { type: 'text', text: 'Ho.' }],
        finish_reason: 'stop',
      },
      tools: [weather, { type: 'custom', name: 'grep', description: 'Finds.' }],
    })
  },
)

const INVALID: readonly [name: string, value: unknown][] = [
  ['a message without a role', [{ parts: [text('Hi.')] }]],
  ['a message without parts', [{ role: 'user' }]],
  ['parts that are no list', [{ role: 'user', parts: text('Hi.') }]],
  ['a part that is a text', [{ role: 'user', parts: ['Hi.'] }]],
  ['a part without a type', [{ role: 'user', parts: [{ content: 'Hi.' }] }]],
  ['a text without content', [{ role: 'user', parts: [{ type: 'text' }] }]],
  ['a content that is a number', [{ role: 'user', parts: [{ type: 'text', content: 1 }] }]],
  ['a call without a name', [{ role: 'assistant', parts: [{ type: 'tool_call', id: 'c1' }] }]],
  ['a response without one', [{ role: 'tool', parts: [{ type: 'tool_call_response' }] }]],
  ['messages that are texts', ['Hi.', 'Ho.']],
  ['one message, and no list', { role: 'user', parts: [text('Hi.')] }],
  ['a text', 'Hi.'],
  ['JSON that is cut off', '[{"role":"user","parts":[{"type":"text","con'],
  ['a number', 7],
]

test.each(
  INVALID.flatMap((one) =>
    [ASKED, ANSWERED, INSTRUCTIONS, TOOLS].map((name) => [...one, name] as const),
  ),
)('what is not valid loses nothing, and no other attribute: %s in %s', async (_, value, name) => {
  const written = typeof value === 'string' ? value : JSON.stringify(value)
  const { generation, metadata } = await recorded({
    [name]: written,
    'gen_ai.request.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 20,
  })
  expect(generation).toMatchObject({ model: 'gpt-4o', inputTokenCount: 20 })
  // Either the field holds it in whole, which the metadata say, or the metadata do.
  const { 'otel.fields': fields = {}, [name]: kept } = metadata as Record<string, unknown>
  expect(Object.hasOwn(fields as object, name) || kept === written).toBe(true)
})

const word = fc.string({ minLength: 1, maxLength: 12 })
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), content: word }),
  fc.record({ type: fc.constant('reasoning'), content: word }),
  fc.record({ type: fc.constant('blob'), modality: word, content: word }),
  fc.record({ type: fc.constant('uri'), modality: word, uri: word }),
  fc.record({ type: fc.constant('file'), modality: word, file_id: word }),
  fc.record({ type: fc.constant('tool_call'), id: word, name: word, arguments: word }),
  fc.record({ type: fc.constant('tool_call_response'), id: word, response: word }),
)
const message = fc.record({ role: word, parts: fc.array(part, { minLength: 1, maxLength: 4 }) })

/** Returns all values in some JSON, without the types of parts, which messages have in other words. */
const leaves = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => (name === 'type' ? [] : leaves(inner)))
    : [value]

test('messages have every word of any list that is valid', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 3 }), async (asked) => {
      const { generation } = await recorded({ [ASKED]: JSON.stringify(asked) })
      const said = leaves(generation?.messages).map(String)
      const missing = asked
        // The result of a tool has a role of its own.
        .map((one) =>
          one.parts.every(({ type }) => type === 'tool_call_response') ? one.parts : one,
        )
        .flatMap(leaves)
        .filter((leaf) => !said.some((one) => one.includes(String(leaf))))
      expect(missing).toEqual([])
    }),
    { numRuns: 60 },
  )
})
