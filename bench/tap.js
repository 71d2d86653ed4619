// Measures the time that the recording `fetch` adds to a call of a model, and to each piece of a stream, without a
// network: `node bench/tap.js`, after a build. Fails when it is more than 30 µs a call or 2 µs a piece.
import { Tracer } from 'stepwell/tracing'

const MAX_CALL_US = 30
const MAX_PIECE_US = 2
const ROUNDS = 9
const CALLS = 1500
const PIECES = 400
const STREAMS = 30

const URL_OF_MODEL = 'http://model.test/v1/chat/completions'
const request = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Where is my order?' }] }),
}
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  model: 'm-1',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'On its way.' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 },
})
const encoder = new TextEncoder()
const chunk = (content) =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-123456789',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'gpt-4o-2024-08-06',
    system_fingerprint: 'fp_1234567890',
    choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
  })}\n\n`
const words = [
  'Your',
  ' order',
  ' 18',
  '15',
  ' is',
  ' on',
  ' its',
  ' way',
  ':',
  '\n\n',
  '- "two',
  ' days"',
]
const chunks = Array.from({ length: PIECES }, (_, at) => chunk(words[at % words.length]))

const whole = async () => new Response(answer, { headers: { 'content-type': 'application/json' } })
const streamed = async () => {
  let left = PIECES
  const body = new ReadableStream(
    {
      type: 'bytes',
      pull: (controller) => {
        if (left-- > 0) controller.enqueue(encoder.encode(chunks[left]))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** Microseconds of processor time: other programs on the machine do not count. */
const spent = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const calls = async (fetch) => {
  const begin = spent()
  for (let call = 0; call < CALLS; call++) await (await fetch(URL_OF_MODEL, request)).json()
  return (spent() - begin) / CALLS
}
const pieces = async (fetch) => {
  const begin = spent()
  for (let stream = 0; stream < STREAMS; stream++) {
    const reader = (await fetch(URL_OF_MODEL, request)).body.getReader()
    while (!(await reader.read()).done);
  }
  return (spent() - begin) / (STREAMS * PIECES)
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]

/** Records as an application does; and delivers nothing. */
const tracer = () =>
  new Tracer({
    apiKey: 'key',
    apiUrl: 'http://stepwell.test',
    fetch: () => new Promise(() => {}),
    flushAtExit: false,
    // Steps are written as ever, and then let go: a queue of them would be measured by the garbage collector.
    sample: 0,
    onReport: () => {},
  })

/** Returns the microseconds without and with the recording: the median of rounds that take turns. */
const compare = async (measure, inner) => {
  const tapped = tracer().fetchThrough(inner)
  const plain = []
  const recorded = []
  for (let round = -2; round < ROUNDS; round++) {
    const without = await measure(inner)
    const withIt = await measure(tapped)
    if (round < 0) continue
    plain.push(without)
    recorded.push(withIt)
  }
  return [median(plain), median(recorded)]
}

const tell = (name, [without, withIt], most) => {
  const added = withIt - without
  console.log(
    `${name}: ${without.toFixed(2)} µs without, ${withIt.toFixed(2)} µs with: ${added.toFixed(2)} µs more, ${most} at most`,
  )
  if (added > most) process.exitCode = 1
}
tell('a call', await compare(calls, whole), MAX_CALL_US)
tell('a piece of a stream', await compare(pieces, streamed), MAX_PIECE_US)
const other = { ...request, method: 'GET', body: undefined }
tell(
  'a request that asks no model',
  await compare(
    async (fetch) => {
      const begin = spent()
      for (let call = 0; call < CALLS; call++) await fetch('http://x.test/orders/1815', other)
      return (spent() - begin) / CALLS
    },
    async () => undefined,
  ),
  1,
)
