import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { json, stream, useModelServer } from './support/model-server.js'

const server = useModelServer()
const PATH = '/v1/chat/completions'
const asking: RequestInit = {
  method: 'POST',
  body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Where is my order?' }] }),
}
const choice = (rest: object) => ({ choices: [{ index: 0, ...rest }] })
const PIECES = [choice({ delta: { content: 'On its ' } }), choice({ delta: { content: 'way.' } })]
const answered = { messageCompletion: { role: 'assistant', content: 'On its way.' } }
const whole = json(choice({ message: { role: 'assistant', content: 'On its way.' } }))

type Reading = (response: Response) => Promise<unknown>
const readers: Record<string, Reading> = {
  text: (response) => response.text(),
  iteration: async (response) => {
    for await (const _ of response.body ?? []);
  },
  tee: async (response) => {
    const [one, other] = response.body?.tee() ?? []
    await Promise.all([new Response(one).text(), new Response(other).text()])
  },
  clone: async (response) => {
    await Promise.all([response.clone().text(), response.text()])
  },
}

test.each(Object.keys(readers))(
  'two clients around one another both record an answer that is read by %s',
  async (name) => {
    for (const play of [stream([...PIECES, '[DONE]'], 20), whole]) {
      const [inner, outer] = [recordInMemory(), recordInMemory()]
      server.plays(play)
      const both = outer.stepwell.fetchThrough(inner.stepwell.fetch)
      await readers[name]?.(await both(`${server.url}${PATH}`, asking))
      for (const { steps } of [inner, outer])
        expect(steps).toMatchObject([
          {
            isOpen: false,
            error: undefined,
            generation: answered,
            metadata: { modelCall: { status: 200 } },
          },
        ])
    }
  },
)

test('two clients around one another both hear that a stream is left', async () => {
  const [inner, outer] = [recordInMemory(), recordInMemory()]
  server.plays(stream([...PIECES, '[DONE]'], 20))
  const both = outer.stepwell.fetchThrough(inner.stepwell.fetch)
  const response = await both(`${server.url}${PATH}`, asking)
  for await (const _ of response.body ?? []) break
  for (const { steps } of [inner, outer])
    expect(steps).toMatchObject([
      { isOpen: false, metadata: { modelCall: { ended: 'cancelled' } } },
    ])
})

test('a function that records already is not recorded through a second time', async () => {
  const { stepwell, steps } = recordInMemory()
  expect(stepwell.fetchThrough(stepwell.fetch)).toBe(stepwell.fetch)
  server.plays(whole)
  const twice = stepwell.fetchThrough(stepwell.fetchThrough(fetch))
  await (await twice(`${server.url}${PATH}`, asking)).text()
  expect(steps).toHaveLength(1)
})

class Client {
  readonly fetch: typeof fetch
  constructor(options: { fetch?: typeof fetch } = {}) {
    this.fetch = options.fetch ?? globalThis.fetch
  }
  withOptions(options: { fetch: typeof fetch }): Client {
    return new Client(options)
  }
}

test('wrapClient calls the fetch that a client was made with', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(whole)
  let calls = 0
  const own: typeof fetch = (input, init) => {
    calls++
    return fetch(input, init)
  }
  const client = stepwell.wrapClient(stepwell.wrapClient(new Client({ fetch: own })))
  await (await client.fetch(`${server.url}${PATH}`, asking)).text()
  expect(calls).toBe(1)
  expect(steps).toMatchObject([{ generation: answered }])
  expect(stepwell.wrapClient(new Client()).fetch).toBe(stepwell.fetch)
})

test('an answer without a stream, as some platforms have it, is recorded by its text', async () => {
  const { stepwell, steps } = recordInMemory()
  const text = JSON.stringify(choice({ message: { role: 'assistant', content: 'On its way.' } }))
  const answer = { status: 200, headers: new Headers(), text: async () => text }
  const tapped = stepwell.fetchThrough(async (_url: string, _init: RequestInit) => answer)
  expect(await (await tapped(`http://x.test${PATH}`, asking)).text()).toBe(text)
  expect(steps).toMatchObject([{ isOpen: false, generation: answered }])
})

test('an answer whose body is of a kind that nobody knows says so, in its step and in a report', async () => {
  const reports: string[] = []
  const { stepwell, steps } = recordInMemory({ onReport: (message) => reports.push(message) })
  const answer = { status: 200, headers: new Headers(), body: ['On its way.'] }
  const tapped = stepwell.fetchThrough(async (_url: string, _init: RequestInit) => answer)
  for (let call = 0; call < 2; call++) await tapped(`http://x.test${PATH}`, asking)
  expect(steps).toHaveLength(2)
  expect(steps[0]?.metadata).toMatchObject({
    modelCall: { unread: 'the answer: its body is no stream that can be followed' },
  })
  expect(reports.filter((report) => report.includes('its body is no stream'))).toHaveLength(1)
})
