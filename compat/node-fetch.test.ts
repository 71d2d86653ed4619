import OpenAI4 from 'openai'
import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { json, openStream, stream, useModelServer } from '../test/support/model-server.js'
import { CHAT, CHAT_STREAM } from './support/answers.js'

/** An answer of node-fetch, whose body is a stream of Node. */
interface Answer {
  body: NodeJS.ReadableStream & { destroy(): void; readableFlowing: boolean | null }
  text(): Promise<string>
  json(): Promise<unknown>
  clone(): Answer
}
type NodeFetch = (url: string, init: object) => Promise<Answer>

const server = useModelServer()
const VERSIONS: Record<string, NodeFetch> = {}
for (const version of ['2', '3']) {
  const { default: fetch } = (await import(`node-fetch-${version}`)) as { default: NodeFetch }
  VERSIONS[version] = fetch
}
const messages = [{ role: 'user' as const, content: 'Where is my order?' }]
const asking = { method: 'POST', body: JSON.stringify({ model: 'gpt-4o', messages }) }
const answered = { messageCompletion: { content: 'On its way.' }, tokenCount: 25 }

const readers: Record<string, (answer: Answer) => Promise<string>> = {
  text: (answer) => answer.text(),
  iteration: async ({ body }) => {
    let text = ''
    for await (const piece of body) text += piece
    return text
  },
  'the event data': ({ body }) =>
    new Promise((resolve, reject) => {
      let text = ''
      body.on('data', (piece) => {
        text += piece
      })
      body.on('end', () => resolve(text))
      body.on('error', reject)
    }),
  'calls of read': ({ body }) =>
    new Promise((resolve) => {
      let text = ''
      body.on('readable', () => {
        for (let piece = body.read(); piece !== null; piece = body.read()) text += piece
      })
      body.on('end', () => resolve(text))
    }),
  clone: async (answer) => {
    const [copy, text] = await Promise.all([answer.clone().text(), answer.text()])
    expect(copy).toBe(text)
    return text
  },
}

for (const [version, nodeFetch] of Object.entries(VERSIONS)) {
  test.each(Object.keys(readers))(
    `node-fetch ${version}: an answer read by %s is the same, and is recorded`,
    async (name) => {
      const read = readers[name] as (answer: Answer) => Promise<string>
      for (const play of [stream(CHAT_STREAM, 33), json(CHAT)]) {
        const { stepwell, steps } = recordInMemory()
        server.plays(play)
        const url = `${server.url}/v1/chat/completions`
        const plain = await read(await nodeFetch(url, asking))
        const tapped = await stepwell.fetchThrough(nodeFetch)(url, asking)
        expect(tapped.body.readableFlowing).toBe(null)
        expect(await read(tapped)).toBe(plain)
        expect(steps).toMatchObject([{ isOpen: false, error: undefined, generation: answered }])
        expect(steps[0]?.metadata).not.toHaveProperty('modelCall.unread')
      }
    },
  )

  test(`node-fetch ${version}: a stream that is left keeps what came`, async () => {
    const { stepwell, steps } = recordInMemory()
    server.plays(openStream(CHAT_STREAM.slice(0, 2)))
    const { body } = await stepwell.fetchThrough(nodeFetch)(
      `${server.url}/v1/chat/completions`,
      asking,
    )
    for await (const _ of body) break
    await expect.poll(() => steps[0]?.isOpen).toBe(false)
    expect(steps).toMatchObject([
      { error: undefined, metadata: { modelCall: { ended: 'cancelled' } } },
    ])
  })

  test(`node-fetch ${version}: an abort is the error of the step`, async () => {
    const { stepwell, steps } = recordInMemory()
    const controller = new AbortController()
    server.plays(openStream(CHAT_STREAM.slice(0, 2), () => controller.abort()))
    const ask = async () =>
      (
        await stepwell.fetchThrough(nodeFetch)(`${server.url}/v1/chat/completions`, {
          ...asking,
          signal: controller.signal,
        })
      ).text()
    await expect(ask()).rejects.toThrow('abort')
    await expect.poll(() => steps[0]?.isOpen).toBe(false)
    expect(steps[0]?.error).toContain('abort')
  })

  test(`node-fetch ${version}: a connection that breaks in the middle is the error of the step`, async () => {
    const { stepwell, steps } = recordInMemory()
    server.plays(openStream(CHAT_STREAM.slice(0, 2), (response) => response.destroy()))
    const ask = async () =>
      (await stepwell.fetchThrough(nodeFetch)(`${server.url}/v1/chat/completions`, asking)).text()
    await expect(ask()).rejects.toThrow()
    await expect.poll(() => steps[0]?.isOpen).toBe(false)
    expect(steps[0]?.error).toBeTruthy()
  })

  test(`node-fetch ${version}: a slow reader holds the provider back`, async () => {
    const { stepwell } = recordInMemory()
    const sizes: number[] = []
    for (const fetch of [nodeFetch, stepwell.fetchThrough(nodeFetch)]) {
      let size = 0
      let isBlocked = false
      server.plays(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        while (response.write(`: ${'x'.repeat(100_000)}\n\n`)) size += 100_000
        isBlocked = true
      })
      const { body } = await fetch(`${server.url}/v1/chat/completions`, asking)
      await expect.poll(() => isBlocked).toBe(true)
      sizes.push(size)
      body.destroy()
    }
    expect(sizes[1]).toBe(sizes[0])
  })

  test(`node-fetch ${version}: openai 4 with it is recorded, plain and as a stream`, async () => {
    const { stepwell, steps } = recordInMemory()
    const client = new OpenAI4({
      apiKey: 'key',
      baseURL: `${server.url}/v1`,
      fetch: stepwell.fetchThrough(nodeFetch) as never,
    })
    server.plays(json(CHAT), stream(CHAT_STREAM, 33))
    await client.chat.completions.create({ model: 'gpt-4o', messages })
    const events = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true })
    for await (const _ of events);
    await expect.poll(() => steps.map(({ isOpen }) => isOpen)).toEqual([false, false])
    expect(steps).toMatchObject([{ generation: answered }, { generation: answered }])
  })
}
