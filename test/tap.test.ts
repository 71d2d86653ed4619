import { expect, test } from 'vitest'
import { recordInMemory } from '../src/testing/index.js'
import { Tracer } from '../src/tracing/index.js'
import { json, openStream, stream, useModelServer } from './support/model-server.js'
import { useService } from './support/service.js'

const server = useModelServer()
const service = useService()
const CHAT = '/v1/chat/completions'
const REQUEST = {
  model: 'gpt-4o',
  temperature: 0.2,
  messages: [{ role: 'user', content: 'Where is my order?' }],
}
const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-4o-2024-08-06',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'On its way.' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16 },
}
const piece = (delta: object, rest: object = {}) => ({
  id: 'chatcmpl-2',
  object: 'chat.completion.chunk',
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...rest,
})
const PIECES = [
  piece({ role: 'assistant', content: '' }),
  piece({ content: 'On its ' }),
  piece({ content: 'way ✓' }),
  { ...piece({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
const asking = (body: unknown = REQUEST): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

test('a call of a model is a step, with its messages, tokens, times and settings', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json(ANSWER))
  const response = await stepwell.trace('agent', () =>
    stepwell.fetch(`${server.url}${CHAT}`, asking()),
  )
  expect(await response.json()).toEqual(ANSWER)
  const [agent, call] = steps
  expect(call).toMatchObject({
    type: 'llm',
    name: 'chat gpt-4o',
    parentId: agent?.id,
    isOpen: false,
    error: undefined,
    metadata: {
      modelCall: {
        api: 'openai.chat',
        status: 200,
        finishReason: 'stop',
        requestId: 'request-1',
        responseId: 'chatcmpl-1',
        url: `${server.url}${CHAT}`,
      },
    },
    generation: {
      type: 'CHAT',
      provider: '127.0.0.1',
      model: 'gpt-4o-2024-08-06',
      messages: REQUEST.messages,
      messageCompletion: { role: 'assistant', content: 'On its way.' },
      settings: { temperature: 0.2 },
      inputTokenCount: 12,
      outputTokenCount: 4,
      tokenCount: 16,
    },
  })
  expect(call?.generation?.duration).toBeGreaterThan(0)
  expect(call?.generation?.ttFirstToken).toBeUndefined()
})

test('a stream is put together, however it is cut, and its step ends with it', async () => {
  for (const cutAt of [1, 7, 1000]) {
    const { stepwell, steps } = recordInMemory()
    server.plays(stream([...PIECES, '[DONE]'], cutAt))
    const response = await stepwell.fetch(
      `${server.url}${CHAT}`,
      asking({ ...REQUEST, stream: true }),
    )
    const [call] = steps
    expect(call?.isOpen).toBe(true)
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true })
    expect(text).toContain('[DONE]')
    expect(steps[0]).toMatchObject({
      isOpen: false,
      generation: {
        messageCompletion: { role: 'assistant', content: 'On its way ✓' },
        settings: { temperature: 0.2, stream: true },
      },
    })
    expect(steps[0]?.generation?.ttFirstToken).toBeGreaterThan(0)
    // The provider did not tell it.
    expect(steps[0]?.generation?.tokenCount).toBeUndefined()
  }
})

test('a stream that is cancelled keeps what had come', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(openStream(PIECES.slice(0, 2)))
  const response = await stepwell.fetch(`${server.url}${CHAT}`, asking())
  for await (const _ of response.body ?? []) break
  expect(steps[0]).toMatchObject({
    isOpen: false,
    error: undefined,
    generation: { messageCompletion: { content: 'On its ' } },
    metadata: { modelCall: { ended: 'cancelled' } },
  })
})

test('an error of the provider ends the step with its message and status', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(
    json({ error: { message: 'No such model', type: 'invalid_request_error', code: 'x' } }, 404),
  )
  const response = await stepwell.fetch(`${server.url}${CHAT}`, asking())
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('No such model')
  const error = 'HTTP 404: invalid_request_error: No such model'
  expect(steps[0]).toMatchObject({ isOpen: false, error, generation: { error } })
  expect(steps[0]?.generation?.messages).toEqual(REQUEST.messages)
})

test('a request that never arrives ends the step with the same error that the application gets', async () => {
  const { stepwell, steps } = recordInMemory()
  const failure = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  const broken = stepwell.fetchThrough(async () => {
    throw failure
  })
  await expect((broken as typeof fetch)(`${server.url}${CHAT}`, asking())).rejects.toBe(failure)
  expect(steps[0]?.error).toBe('TypeError: fetch failed (caused by Error: connect ECONNREFUSED)')
  const controller = new AbortController()
  server.plays(openStream(PIECES.slice(0, 2), () => controller.abort()))
  const aborted = stepwell.fetch(`${server.url}${CHAT}`, {
    ...asking({ ...REQUEST, top_p: 1 }),
    signal: controller.signal,
  })
  await expect(aborted.then((response) => response.text())).rejects.toThrow('aborted')
  expect(steps[1]?.error).toContain('AbortError')
  expect(steps[1]?.isOpen).toBe(false)
})

test('repetitions of a failed request are attempts of one step, whose error is then gone', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json({ error: { message: 'Slow down' } }, 429), json('', 503), json(ANSWER))
  await stepwell.trace('agent', async () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const response = await stepwell.fetch(`${server.url}${CHAT}`, asking())
      await response.text()
      if (attempt === 0)
        expect(steps[1]).toMatchObject({ error: 'HTTP 429: Slow down', isOpen: false })
    }
  })
  expect(steps).toHaveLength(2)
  expect(steps[1]).toMatchObject({
    error: undefined,
    generation: { messageCompletion: { content: 'On its way.' }, tokenCount: 16 },
    metadata: {
      modelCall: {
        attempts: [
          { status: 429, error: 'HTTP 429: Slow down' },
          { status: 503, error: 'HTTP 503' },
          { status: 200 },
        ],
      },
    },
  })
  expect(steps[1]?.generation?.error ?? undefined).toBeUndefined()
})

test('the service stores a repeated call as one that was successful in the end', async () => {
  const stepwell = await service.newClient()
  server.plays(json({ error: { message: 'Slow down' } }, 429), json(ANSWER))
  const ask = async () => (await stepwell.fetch(`${server.url}${CHAT}`, asking())).text()
  await ask()
  await stepwell.flush()
  const failed = (await stepwell.api.getSteps({ first: 10 })).data
  expect(failed).toMatchObject([
    { error: 'HTTP 429: Slow down', generation: { error: 'HTTP 429: Slow down' } },
  ])
  await ask()
  await stepwell.flush()
  const { data } = await stepwell.api.getSteps({ first: 10 })
  expect(data).toMatchObject([
    {
      id: failed[0]?.id,
      error: null,
      generation: {
        error: null,
        model: 'gpt-4o-2024-08-06',
        tokenCount: 16,
        usage: { input: 12, output: 4, cached: null, total: 16 },
      },
      metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } },
    },
  ])
})

test('equal requests that fail side by side, or that are no repetitions, stay apart', async () => {
  const { stepwell, steps } = recordInMemory()
  const failing = json({ error: { message: 'Slow down' } }, 429)
  server.plays(failing, failing, json(ANSWER))
  const ask = async (headers: Record<string, string> = {}) => {
    const response = await stepwell.fetch(`${server.url}${CHAT}`, { ...asking(), headers })
    await response.text()
  }
  await Promise.all([ask(), ask()])
  expect(steps).toHaveLength(2)
  await ask({ 'x-stainless-retry-count': '0' })
  expect(steps).toHaveLength(3)
  await ask({ 'X-Stainless-Retry-Count': '1' })
  await ask()
  expect(steps).toHaveLength(3)
  expect(steps.map(({ error }) => error)).toEqual([undefined, undefined, undefined])
  await ask()
  expect(steps).toHaveLength(4)
})

test('a request that fails in one thread is not repeated by an equal one in another, but by one in the same', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json({ error: { message: 'Slow down' } }, 429), json(ANSWER))
  const ask = (id: string) =>
    stepwell.thread({ id }).wrap(async () => {
      await (await stepwell.fetch(`${server.url}${CHAT}`, asking())).text()
    })
  await ask('of-ada')
  await ask('of-bob')
  expect(steps.map(({ threadId, error }) => [threadId, error === undefined])).toEqual([
    ['of-ada', false],
    ['of-bob', true],
  ])
  await ask('of-ada')
  expect(steps).toHaveLength(2)
  expect(steps[0]).toMatchObject({
    error: undefined,
    metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } },
  })
})

test('a step that stands for a model call is filled in; a second call in it is a child', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json(ANSWER))
  const ask = async () => (await stepwell.fetch(`${server.url}${CHAT}`, asking())).json()
  await stepwell.trace({ name: 'mine', type: 'llm' }, async () => {
    await ask()
    await ask()
    return 'done'
  })
  expect(steps.map(({ name, type }) => [name, type])).toEqual([
    ['mine', 'llm'],
    ['chat gpt-4o', 'llm'],
  ])
  expect(steps[0]).toMatchObject({
    generation: { tokenCount: 16 },
    output: { output: 'done' },
  })
  expect(steps[1]?.parentId).toBe(steps[0]?.id)
})

test('a step that stands for a model call is one call, however often the client counts from zero', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json({ error: { message: 'busy' } }, 429), json(ANSWER))
  const request = asking()
  const counted = { ...request, headers: { ...request.headers, 'x-stainless-retry-count': '0' } }
  await stepwell.trace({ name: 'mine', type: 'llm' }, async () => {
    for (const _ of [1, 2]) await (await stepwell.fetch(`${server.url}${CHAT}`, counted)).text()
  })
  expect(steps).toMatchObject([
    {
      error: undefined,
      generation: { tokenCount: 16 },
      metadata: { modelCall: { attempts: [{ status: 429 }, { status: 200 }] } },
    },
  ])
})

test('another request takes the place of a call that failed in such a step, and tells of it', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json({ error: { message: 'no such model' } }, 404), json(ANSWER))
  const ask = async (model: string) => {
    const body = JSON.stringify({ ...REQUEST, model })
    await (await stepwell.fetch(`${server.url}${CHAT}`, { ...asking(), body })).text()
  }
  await stepwell.trace({ name: 'mine', type: 'llm' }, async () => {
    await ask('gpt-9')
    await ask('gpt-4o')
  })
  expect(steps).toMatchObject([
    {
      error: undefined,
      generation: { tokenCount: 16 },
      metadata: {
        modelCall: {
          status: 200,
          failedBefore: [{ status: 404, model: 'gpt-9', error: 'HTTP 404: no such model' }],
        },
      },
    },
  ])
  expect(steps[0]?.generation).not.toHaveProperty('error')
})

test('a filled step stays open until the stream was read, also after its function returned', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(stream([...PIECES, '[DONE]']))
  const response = await stepwell.trace({ name: 'mine', type: 'llm' }, () =>
    stepwell.fetch(`${server.url}${CHAT}`, asking()),
  )
  expect(steps[0]?.isOpen).toBe(true)
  await response.text()
  await expect.poll(() => steps[0]?.isOpen).toBe(false)
  expect(steps[0]?.generation?.messageCompletion).toMatchObject({ content: 'On its way ✓' })
  const byHand = stepwell.step({ name: 'by hand', type: 'llm' })
  server.plays(stream([...PIECES, '[DONE]']))
  const late = await byHand.trace('inner', () => stepwell.fetch(`${server.url}${CHAT}`, asking()))
  byHand.end()
  await late.text()
  expect(steps.map(({ name }) => name)).toEqual(['mine', 'by hand', 'inner', 'chat gpt-4o'])
})

test('requests that ask no model make no steps and are passed on as they are', async () => {
  const { stepwell, steps } = recordInMemory()
  const given: unknown[] = []
  const inner = async (...values: unknown[]) => {
    given.push(...values)
    return new Response('ok')
  }
  const tapped = stepwell.fetchThrough(inner) as typeof fetch
  const init = { method: 'POST', body: '{"messages":"none"}' }
  for (const [input, options] of [
    [`http://x.test${CHAT}`, undefined],
    [`http://x.test${CHAT}`, init],
    ['http://x.test/v1/other', asking()],
    [new URL('http://x.test/'), { method: 'PUT', body: new URLSearchParams() }],
  ] as const) {
    given.length = 0
    await tapped(input, options)
    expect(given[0]).toBe(input)
    expect(given[1]).toBe(options)
  }
  expect(steps).toEqual([])
})

test('a request is read in every form without being used up', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(json(ANSWER))
  const text = JSON.stringify(REQUEST)
  const url = `${server.url}${CHAT}`
  const headers = { 'content-type': 'application/json' }
  const method = 'POST'
  const bodies: BodyInit[] = [
    text,
    new TextEncoder().encode(text),
    new TextEncoder().encode(text).buffer,
    new Blob([text]),
  ]
  for (const body of bodies) await (await stepwell.fetch(url, { method, headers, body })).text()
  await (await stepwell.fetch(new Request(url, { method, headers, body: text }))).text()
  await (await stepwell.fetch(new URL(url), { method, headers, body: text })).text()
  expect(server.asked.map(({ body }) => body)).toEqual(Array.from({ length: 6 }, () => text))
  expect(steps.map(({ generation }) => generation?.messages)).toEqual(
    Array.from({ length: 6 }, () => REQUEST.messages),
  )
  const streamed = { method, headers, body: new Blob([text]).stream(), duplex: 'half' }
  await (await stepwell.fetch(url, streamed as RequestInit)).text()
  expect(server.asked.at(-1)?.body).toBe(text)
  expect(steps.at(-1)).toMatchObject({
    generation: { messageCompletion: { content: 'On its way.' } },
    metadata: { modelCall: { unread: 'the request: reading its body would use it up' } },
  })
})

const decoded = (parts: Uint8Array[]) => Buffer.concat(parts).toString()
const readers: Record<string, (response: Response) => Promise<string>> = {
  text: (response) => response.text(),
  json: async (response) => JSON.stringify(await response.json().catch((error) => String(error))),
  arrayBuffer: async (response) => Buffer.from(await response.arrayBuffer()).toString(),
  blob: async (response) => (await response.blob()).text(),
  reader: async (response) => {
    const parts: Uint8Array[] = []
    const reader = response.body?.getReader()
    for (;;) {
      const one = await reader?.read()
      if (one === undefined || one.done) return decoded(parts)
      parts.push(one.value)
    }
  },
  'byob reader': async (response) => {
    const parts: Uint8Array[] = []
    const reader = response.body?.getReader({ mode: 'byob' })
    for (;;) {
      const one = await reader?.read(new Uint8Array(100))
      if (one === undefined || one.done) return decoded(parts)
      parts.push(one.value)
    }
  },
  iteration: async (response) => {
    const parts: Uint8Array[] = []
    for await (const part of response.body ?? []) parts.push(part)
    return decoded(parts)
  },
  pipe: async (response) => {
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part
    return text
  },
  tee: async (response) => {
    const [one, other] = response.body?.tee() ?? []
    const texts = await Promise.all([new Response(one).text(), new Response(other).text()])
    expect(texts[0]).toBe(texts[1])
    return texts[0] ?? ''
  },
  clone: async (response) => {
    const copy = response.clone()
    const texts = await Promise.all([copy.text(), response.text()])
    expect(texts[0]).toBe(texts[1])
    return texts[0] ?? ''
  },
  'body, then text': async (response) => {
    expect(response.body).toBe(response.body)
    expect(response.body?.locked).toBe(false)
    return response.text()
  },
  'another response': (response) => new Response(response.body, response).text(),
}

test.each(Object.keys(readers))(
  'an answer read by %s is the same, and is recorded once',
  async (name) => {
    const read = readers[name] as (response: Response) => Promise<string>
    for (const play of [stream([...PIECES, '[DONE]'], 50), json(ANSWER)]) {
      const { stepwell, steps } = recordInMemory()
      server.plays(play)
      const plain = await fetch(`${server.url}${CHAT}`, asking())
      const tapped = await stepwell.fetch(`${server.url}${CHAT}`, asking())
      const facts = ({ url, status, statusText, redirected, type, ok, headers }: Response) => ({
        url,
        status,
        statusText,
        redirected,
        type,
        ok,
        sent: headers.get('content-type'),
      })
      expect(facts(tapped)).toEqual(facts(plain))
      expect(tapped).toBeInstanceOf(Response)
      expect(Object.keys(tapped)).toEqual(Object.keys(plain))
      expect(await read(tapped)).toBe(await read(plain))
      expect(tapped.bodyUsed).toBe(plain.bodyUsed)
      expect(steps[0]?.generation?.messageCompletion).toMatchObject({
        content: expect.stringMatching(/^On its way/),
      })
      expect(steps).toHaveLength(1)
      expect(steps[0]?.isOpen).toBe(false)
      await expect(tapped.text()).rejects.toThrow(
        await plain.text().then(
          () => '',
          (error) => error.message,
        ),
      )
    }
  },
)

test('a slow reader holds the provider back, as without the recording', async () => {
  const { stepwell } = recordInMemory()
  let pulled = 0
  const body = () =>
    new ReadableStream(
      {
        pull(controller) {
          pulled++
          controller.enqueue(new TextEncoder().encode('data: {}\n\n'))
        },
      },
      { highWaterMark: 0 },
    )
  const inner = async () =>
    new Response(body(), { headers: { 'content-type': 'text/event-stream' } })
  const tapped = stepwell.fetchThrough(inner) as unknown as typeof fetch
  const ways: ((body: ReadableStream) => ReadableStreamDefaultReader)[] = [
    (body) => body.getReader(),
    (body) =>
      body
        .pipeThrough(new TransformStream({}, { highWaterMark: 1 }, { highWaterMark: 0 }))
        .getReader(),
  ]
  for (const way of ways) {
    const counts: number[] = []
    for (const call of [inner as unknown as typeof fetch, tapped]) {
      pulled = 0
      const response = await call(`http://x.test${CHAT}`, asking())
      const reader = way(response.body as ReadableStream)
      await reader.read()
      await reader.read()
      await new Promise((resolve) => setImmediate(resolve))
      counts.push(pulled)
      await reader.cancel()
    }
    expect(counts[1]).toBe(counts[0])
  }
})

const readSome = async (response: Response, count: number): Promise<void> => {
  const reader = response.body?.getReader()
  for (let read = 0; read < count; read++) if ((await reader?.read())?.done) return
  reader?.releaseLock()
}

test('an answer whose reader is released before the end has ended, with what came', async () => {
  const { stepwell, steps } = recordInMemory()
  server.plays(openStream(PIECES.slice(0, 2)))
  await readSome(await stepwell.fetch(`${server.url}${CHAT}`, asking()), 1)
  expect(steps).toMatchObject([
    {
      isOpen: false,
      error: undefined,
      generation: { messageCompletion: { content: 'On its ' } },
      metadata: { modelCall: { ended: 'cancelled' } },
    },
  ])
})

for (const [where, data] of [
  ['of its own', { name: 'agent', type: 'run' }],
  ['of the application', { name: 'ask', type: 'llm' }],
] as const)
  test(`another reader reads on, from within an event, and the step ${where} is whole`, async () => {
    const { stepwell, steps } = recordInMemory()
    server.plays(stream([...PIECES, '[DONE]'], 33))
    const response = await stepwell.trace(data, () =>
      stepwell.fetch(`${server.url}${CHAT}`, asking()),
    )
    for (const count of [1, 3, 1, 1000]) await readSome(response, count)
    const called = steps.filter(({ type }) => type === 'llm')
    expect(called).toMatchObject([
      {
        isOpen: false,
        error: undefined,
        generation: { messageCompletion: { content: 'On its way ✓' } },
      },
    ])
    expect(called[0]?.metadata).not.toHaveProperty('modelCall.ended')
  })

test('an answer that nobody reads ends by a bound and is counted', async () => {
  const { stepwell, steps } = recordInMemory({ streamTimeoutMs: 30, onReport: () => {} })
  server.plays(stream([...PIECES, '[DONE]']))
  const kept = await stepwell.fetch(`${server.url}${CHAT}`, asking())
  await expect.poll(() => steps[0]?.isOpen).toBe(false)
  expect(steps[0]).toMatchObject({ metadata: { modelCall: { ended: 'abandoned' } } })
  expect(stepwell.stats().timedOut).toBe(1)
  expect(await kept.text()).toContain('[DONE]')
})

test('a client that records nothing has the plain function', async () => {
  const { stepwell } = recordInMemory({ disabled: true })
  expect(stepwell.fetchThrough(fetch)).toBe(fetch)
  server.plays(json(ANSWER))
  expect((await stepwell.fetch(`${server.url}${CHAT}`, asking())).status).toBe(200)
})

test('an application may put the recording fetch in the place of the platform’s', async () => {
  const before = globalThis.fetch
  let calls = 0
  globalThis.fetch = async () => {
    calls++
    return new Response('plain')
  }
  try {
    const tracer = new Tracer({ apiKey: 'k', apiUrl: 'http://s.test', flushAtExit: false })
    globalThis.fetch = tracer.fetch as typeof fetch
    expect(await (await fetch('http://x.test/')).text()).toBe('plain')
    expect(calls).toBe(1)
  } finally {
    globalThis.fetch = before
  }
})
