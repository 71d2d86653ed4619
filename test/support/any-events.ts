import fc from 'fast-check'

/** The shapes of streams, by the names of their APIs. */
export type Shape = keyof typeof SHAPES

/** Texts with all that JSON writes in another way, halves of characters among it. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(' word', 'the', ' ', '', '{"city":', 'x'.repeat(50)) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
  fc.constantFrom(
    '"',
    '\\',
    '\\"',
    '\n',
    '\r\n',
    '\u0007',
    '\ud83d',
    '\ude00',
    '✓',
    '10',
    '11',
    '1',
    '110',
    '815',
  ),
)
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value as fc.Arbitrary<Value | undefined> },
  )
const index = fc.constantFrom(0, 0, 0, 1, -1, 'x' as unknown as number)
const few = fc.nat({ max: 3 })
const usage = fc.record({ prompt_tokens: few, completion_tokens: few })
/** Members that differ from event to event, and that nobody reads. */
const noise = {
  obfuscation: some(text),
  sequence_number: some(fc.oneof(fc.nat(), fc.constantFrom(-1, 1.5, 1e21))),
  created_at: some(text),
  p: some(fc.oneof(text, few)),
}
const delta = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: text }) },
  fc.record({
    content: fc.constant(null),
    reasoning_content: text,
    role: fc.constant('assistant'),
  }),
  fc.record({ content: text, refusal: text }),
  fc.record({
    tool_calls: fc.array(
      fc.record({
        index: some(index),
        id: some(text),
        function: fc.record({ arguments: text, name: some(text) }),
      }),
      { maxLength: 2 },
    ),
  }),
  fc.record({
    content: some(fc.constantFrom(1, true, [], {}, ['a'])),
    annotations: some(fc.constant([{ a: 1 }])),
  }),
)
const chat = fc.record({
  ...noise,
  id: fc.constantFrom('a', 'a', 'b', ''),
  model: some(fc.constant('m')),
  choices: fc.array(
    fc.record({
      index: some(index),
      delta,
      finish_reason: fc.constantFrom(null, null, 'stop'),
      logprobs: some(fc.constant({ content: [] })),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  usage: some(fc.oneof(usage, fc.constant(null))),
  error: rarely(fc.constantFrom(null, { message: 'busy' })),
})
const completion = fc.record({
  ...noise,
  choices: fc.array(
    fc.record({
      index: some(index),
      text: some(text),
      delta: some(fc.record({ content: text })),
      finish_reason: some(text),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  usage: some(usage),
})
const responses = fc.record({
  ...noise,
  type: fc.constantFrom(
    ...Array.from({ length: 8 }, () => 'response.output_text.delta'),
    'response.function_call_arguments.delta',
    'response.reasoning_summary_text.delta',
    'response.output_text.done',
    'response.output_item.added',
    'response.completed',
    'error',
  ),
  output_index: index,
  content_index: some(index),
  delta: text,
  text: some(text),
  item: some(
    fc.constantFrom({ type: 'message', content: [] }, { type: 'function_call', arguments: '{' }),
  ),
  response: rarely(
    fc.record({
      id: text,
      status: text,
      output: fc.constantFrom(
        [],
        [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }],
      ),
    }),
  ),
})
const anthropic = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...noise,
      type: fc.constant('content_block_delta'),
      index,
      delta: fc.oneof(
        { weight: 4, arbitrary: fc.record({ type: fc.constant('text_delta'), text }) },
        fc.record({ type: fc.constant('input_json_delta'), partial_json: text }),
        fc.record({
          thinking: some(text),
          signature: some(text),
          text: some(text),
          partial_json: some(text),
        }),
        fc.record({ text: some(text), citation: fc.constant({ cited_text: 'x' }) }),
      ),
    }),
  },
  fc.record({
    type: fc.constant('content_block_start'),
    index,
    content_block: fc.record({ type: fc.constantFrom('text', 'tool_use'), text }),
  }),
  fc.record({
    type: fc.constantFrom('message_delta', 'message_stop', 'ping', 'error'),
    usage: some(fc.record({ output_tokens: few })),
    delta: some(fc.record({ stop_reason: text })),
  }),
  fc.record({
    type: fc.constant('message_start'),
    message: fc.record({ id: text, usage: fc.record({ input_tokens: few }) }),
  }),
)
const gemini = fc.record({
  candidates: fc.array(
    fc.record({
      index: some(index),
      content: fc.record({
        parts: fc.array(fc.record({ text: some(text), thought: some(fc.boolean()) }), {
          maxLength: 2,
        }),
      }),
      finishReason: some(text),
    }),
    { maxLength: 2 },
  ),
  usageMetadata: some(
    fc.record({
      promptTokenCount: few,
      candidatesTokenCount: some(fc.oneof(few, fc.constantFrom(-1, 1.5, '7'))),
      promptTokensDetails: rarely(fc.record({ tokenCount: few })),
    }),
  ),
})
const cohere = fc.record({
  ...noise,
  type: fc.constantFrom(
    'content-delta',
    'content-delta',
    'content-start',
    'tool-call-delta',
    'message-start',
    'message-end',
  ),
  index,
  delta: some(
    fc.record({
      message: fc.record({
        content: some(fc.oneof(fc.record({ text, type: some(fc.constant('text')) }), text)),
        tool_calls: rarely(fc.record({ id: some(text), function: fc.record({ arguments: text }) })),
        tool_plan: rarely(text),
        citations: rarely(fc.constant({ start: 1 })),
      }),
      finish_reason: some(text),
    }),
  ),
})
const ollama = (content: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({
    ...noise,
    model: some(fc.constantFrom('m', '')),
    ...content,
    done: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
    eval_count: some(few),
  })
const SHAPES = {
  'openai.chat': chat,
  'openai.completion': completion,
  'openai.responses': responses,
  'anthropic.messages': anthropic,
  'gemini.generate': gemini,
  'cohere.chat': cohere,
  'ollama.chat': ollama({
    message: fc.record({
      role: some(fc.constant('assistant')),
      content: text,
      thinking: some(text),
      images: rarely(fc.constantFrom(null, [], ['a'])),
      tool_calls: rarely(fc.constant([{ index: 0, function: { name: 'f' } }])),
    }),
  }),
  'ollama.generate': ollama({ response: text }),
}

/** The ways in which an event is written: most providers write as the first one. */
const STYLES: readonly ((event: object, isLine: boolean) => string)[] = [
  (event, isLine) => (isLine ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`),
  (event, isLine) => {
    const json = JSON.stringify(event).replaceAll('":', '": ')
    return isLine ? `${json}\n` : `event: x\ndata: ${json}\n\n`
  },
  (event, isLine) =>
    isLine ? `${JSON.stringify(event)}\r\n` : `data:${JSON.stringify(event)}\r\n\r\n`,
  (event, isLine) => (isLine ? `${JSON.stringify(event)}\r` : `data: ${JSON.stringify(event)}\r\r`),
  (event, isLine) => {
    const json = JSON.stringify(event).replace(
      /[^\x20-\x7e]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return isLine ? `${json}\n` : `: "content":"x"\nid: 1\ndata: ${json}\n\n`
  },
]

/** Returns an event with other texts, and other counts, in some of its places, as the next piece of a stream has. */
const varied = (event: unknown, texts: readonly string[], next: { at: number }): unknown => {
  if (Array.isArray(event)) return event.map((one) => varied(one, texts, next))
  if (typeof event !== 'object' || event === null) return event
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => {
      const isPiece = PIECES.has(name) && typeof value === 'string'
      // They need not grow.
      if (COUNTS.has(name) && typeof value === 'number') return [name, (next.at * 7) % 5]
      return [name, isPiece ? texts[next.at++ % texts.length] : varied(value, texts, next)]
    }),
  )
}
const COUNTS = new Set(['promptTokenCount', 'candidatesTokenCount'])
const PIECES = new Set([
  'content',
  'text',
  'delta',
  'arguments',
  'partial_json',
  'thinking',
  'response',
  'obfuscation',
  'created_at',
  'tool_plan',
  'reasoning_content',
])

/** A mistake somewhere in a stream. */
const fault = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  put: fc.constantFrom(
    '',
    '"',
    '\\',
    '\n',
    '\n\n',
    '{',
    '}',
    ',',
    '\t',
    'data: ',
    '[DONE]',
    '\\u',
    '1',
  ),
  most: fc.nat({ max: 3 }),
})

/** Texts of streams of a shape: runs of events that differ in few places, written in one of the ways, some with faults. */
export const anyEvents = (shape: Shape): fc.Arbitrary<string> => {
  const run = fc
    .tuple(
      SHAPES[shape] as fc.Arbitrary<object>,
      fc.array(text, { minLength: 1, maxLength: 9 }),
      fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 40 })),
    )
    .map(([event, texts, count]) => {
      const next = { at: 0 }
      return [event, ...Array.from({ length: count }, () => varied(event, texts, next) as object)]
    })
  return fc
    .tuple(
      fc.array(run, { maxLength: 5 }),
      fc.oneof(fc.constant(0), fc.nat({ max: STYLES.length - 1 })),
      fc.array(fault, { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([runs, style, faults, isFaulty]) => {
      const isLine = shape.startsWith('ollama')
      let all = runs
        .flat()
        .map((event) => STYLES[style]?.(event, isLine) ?? '')
        .join('')
      if (!isLine) all += 'data: [DONE]\n\n'
      for (const { at, put, most } of isFaulty ? faults : []) {
        const place = Math.floor(at * all.length)
        all = all.slice(0, place) + put + all.slice(place + most)
      }
      return all
    })
}
