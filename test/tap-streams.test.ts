import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { useModelServer } from './support/model-server.js'

const server = useModelServer()
const asking: RequestInit = {
  method: 'POST',
  body: JSON.stringify({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Where is my order?' }],
  }),
}
const piece = (content: string) => ({ choices: [{ index: 0, delta: { content } }] })

test.each(['\r', '\r\n', '\n'])(
  'a stream whose lines end by %j is recorded, wherever it is cut',
  async (end) => {
    const text = [piece('On its '), piece('way.')]
      .map((event) => `data: ${JSON.stringify(event)}${end}${end}`)
      .join('')
    for (let cut = 0; cut < text.length; cut += 3) {
      const { stepwell, steps } = recordInMemory()
      server.plays(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(text.slice(0, cut))
        await new Promise((resolve) => setImmediate(resolve))
        response.end(text.slice(cut))
      })
      const answer = await stepwell.fetch(`${server.url}/v1/chat/completions`, asking)
      expect(await answer.text()).toBe(text)
      expect(steps).toMatchObject([
        { generation: { messageCompletion: { content: 'On its way.' } } },
      ])
    }
  },
)

const LONG = 'x'.repeat(1_000_000)
/** More than an answer's text that is kept. */
const COUNT = 40
const long: Record<string, { path: string; first: object[]; text: object; last: object[] }> = {
  'chat completions': {
    path: '/v1/chat/completions',
    first: [],
    text: piece(LONG),
    last: [
      { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
      { choices: [], usage: { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 } },
    ],
  },
  'messages of Anthropic': {
    path: '/v1/messages',
    first: [
      { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ],
    text: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: LONG } },
    last: [
      { type: 'message_delta', delta: { stop_reason: 'length' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ],
  },
}

test.each(Object.keys(long))(
  '%s: a stream whose text is too long to be kept tells its tokens and its end all the same',
  async (name) => {
    const { path, first, text, last } = long[name] as (typeof long)[string]
    const { stepwell, steps } = recordInMemory({ maxValueLength: 1000 })
    const events = [...first, ...Array.from({ length: COUNT }, () => text), ...last]
    const parts = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).values()
    const body = new ReadableStream({
      pull(controller) {
        const { done, value } = parts.next()
        if (done) controller.close()
        else controller.enqueue(new TextEncoder().encode(value))
      },
    })
    const headers = { 'content-type': 'text/event-stream' }
    const tapped = stepwell.fetchThrough(async () => new Response(body, { headers }))
    const answer = await (tapped as typeof fetch)(`http://x.test${path}`, asking)
    expect((await answer.text()).length).toBeGreaterThan(COUNT * LONG.length)
    expect(steps).toMatchObject([
      {
        isOpen: false,
        generation: { inputTokenCount: 10, outputTokenCount: 7, tokenCount: 17 },
        metadata: {
          modelCall: {
            finishReason: 'length',
            unread: 'the answer: more than 32000000 characters',
          },
        },
      },
    ])
    expect(JSON.stringify(steps[0]?.generation?.messageCompletion)).toContain('xxx')
  },
)
