// One measurement of one client, in a separate process: `node measure.js CLIENT URL`. Prints JSON.
import OpenAI from 'openai'

const [name, url] = process.argv.slice(2)
const CALLS = 600
const STREAMS = 60
const PIECES = 200

const MODEL = 'gpt-4o-2024-08-06'
const messages = [
  { role: 'system', content: 'You help customers. '.repeat(20) },
  { role: 'user', content: 'Where is my order? '.repeat(10) },
]
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: MODEL,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'It is on its way. '.repeat(10) },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 120, completion_tokens: 50, total_tokens: 170 },
})
const chunk = (delta, more = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: MODEL,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  ...more,
})
const encoder = new TextEncoder()
const event = (data) => encoder.encode(`data: ${data}\n\n`)
const piece = event(JSON.stringify(chunk({ content: ' word' })))
const last = event('[DONE]')

/** Answers as a model does, without a network. */
const fetch = async (_, { body }) => {
  if (!JSON.parse(body).stream)
    return new Response(answer, { headers: { 'content-type': 'application/json' } })
  let left = PIECES
  const stream = new ReadableStream({
    pull: (controller) => {
      if (left > 0) controller.enqueue(piece)
      else if (left === 0) controller.enqueue(last)
      else controller.close()
      left--
    },
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
}

const openAI = (options) =>
  new OpenAI({ apiKey: 'bench', baseURL: 'http://model.test/v1', fetch, ...options })
const { create } = await import(`./clients/${name}.js`)
const { openai, flush } = await create({ openAI, fetch, url })

const spent = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Returns the microseconds of processor time of one call, what it takes later included. */
const calls = async () => {
  const begin = spent()
  for (let call = 0; call < CALLS; call++) {
    await openai.chat.completions.create({ model: MODEL, messages })
    if (call % 10 === 9) await turn()
  }
  await flush()
  return (spent() - begin) / CALLS
}
/** Returns the same of a piece of a stream, beyond the rest of the call. */
const pieces = async () => {
  const begin = spent()
  for (let stream = 0; stream < STREAMS; stream++) {
    let count = 0
    const answered = await openai.chat.completions.create({ model: MODEL, messages, stream: true })
    for await (const { choices } of answered) count += choices.length
    if (count !== PIECES) throw new Error(`${count} pieces`)
  }
  await flush()
  return (spent() - begin) / (STREAMS * PIECES)
}

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
const result = { call: [], piece: [] }
for (let round = -2; round < 5; round++) {
  const call = await calls()
  const onePiece = await pieces()
  if (round < 0) continue
  result.call.push(call)
  result.piece.push(onePiece)
}
console.log(JSON.stringify({ call: median(result.call), piece: median(result.piece) }))
process.exit(0)
