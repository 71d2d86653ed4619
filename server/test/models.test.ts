import { createService, type Service } from '@stepwell/server'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../test/support/eventually.js'
import { json, openStream, stream, useModelServer } from '../../test/support/model-server.js'
import { ask as askModel } from '../src/domain/models/ask.js'
import { openai } from '../src/domain/models/protocols/openai.js'
import { isPublicAddress } from '../src/domain/models/public-address.js'
import { Sealing } from '../src/domain/models/sealing.js'
import { serverSentData } from '../src/domain/models/server-sent.js'
import { type Ask, asker } from './support/ask.js'

const KEY = 'sk-secret-of-the-endpoint'
const MESSAGES = [{ role: 'user', content: 'Hi', uuid: 'u' }]

const server = useModelServer()
let service: Service
let ask: Ask
const reports: unknown[] = []
beforeAll(async () => {
  service = await createService({
    apiKey: 'k',
    modelHosts: ['127.0.0.1'],
    onError: (error) => reports.push(error),
  })
  ask = asker(service, 'k')
})
beforeEach(() => server.clear())
afterAll(() => service?.close())

interface Given {
  id?: string
  protocol?: 'OPENAI' | 'ANTHROPIC'
  baseUrl?: string
  key?: string | null
  name?: string
}
const set = async (given: Given = {}) =>
  (
    await ask(
      `mutation ($id: String, $name: String!, $protocol: ModelProtocol!, $baseUrl: String!, $key: String) {
        setModelEndpoint(id: $id, name: $name, protocol: $protocol, baseUrl: $baseUrl, model: "small", key: $key) { id hasKey }
      }`,
      { name: 'mine', protocol: 'OPENAI', baseUrl: `${server.url}/v1`, ...given },
    )
  ).setModelEndpoint as { id: string; hasKey: boolean }

const call = (body: object, init: RequestInit = {}): Promise<Response> =>
  service.fetch('http://localhost/api/models/call', {
    method: 'POST',
    headers: { 'x-api-key': 'k', 'content-type': 'application/json' },
    body: JSON.stringify({ messages: MESSAGES, ...body }),
    ...init,
  })
const eventsOf = async (response: Response): Promise<Record<string, unknown>[]> =>
  (await response.text())
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const COMPLETION = [
  { choices: [{ delta: { role: 'assistant', content: '' } }] },
  { choices: [{ delta: { content: 'Hel' } }] },
  { choices: [{ delta: { content: 'lo 🙂' } }] },
  { choices: [{ delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
  '[DONE]',
]

/** Asks the server without the service, and returns the last event. */
const lastOf = async (
  limits: { silenceMs?: number; totalMs?: number; answerBytes?: number } = {},
) => {
  let last: unknown
  for await (const event of askModel({
    protocol: openai,
    baseUrl: server.url,
    key: KEY,
    request: { model: 'm', messages: [], settings: {}, tools: [] },
    allowed: ['127.0.0.1'],
    signal: new AbortController().signal,
    limits: { silenceMs: 10_000, totalMs: 10_000, answerBytes: 100_000, ...limits },
  }))
    last = event
  return last
}

describe('a call', () => {
  test('of OpenAI’s protocol streams texts and tokens, and sends the version’s settings', async () => {
    server.plays(stream(COMPLETION, 7))
    const { id } = await set({ key: KEY })
    const response = await call({
      endpointId: id,
      settings: { temperature: 0.2, provider: 'x', model: 'other' },
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
    expect(await eventsOf(response)).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo 🙂' },
      { type: 'end', reason: 'stop' },
      { type: 'usage', inputTokens: 5, outputTokens: 2 },
    ])
    expect(server.asked[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
      temperature: 0.2,
      model: 'small',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', function: { name: 'f' } }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('has an end after [DONE] where the endpoint gives no reason, and none where the answer stops without either', async () => {
    const { id } = await set()
    const piece = { choices: [{ delta: { content: 'Hi' } }] }
    server.plays(stream([piece, '[DONE]'], 1000))
    expect(await eventsOf(await call({ endpointId: id }))).toEqual([
      { type: 'text', text: 'Hi' },
      { type: 'end', reason: null },
    ])
    server.plays(stream([piece], 1000))
    expect(await eventsOf(await call({ endpointId: id }))).toEqual([{ type: 'text', text: 'Hi' }])
  })

  test('of Anthropic’s protocol takes the system’s text apart, and streams tools', async () => {
    server.plays(
      stream([
        { type: 'message_start', message: { usage: { input_tokens: 9 } } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'f' } },
        { type: 'content_block_delta', index: 1, delta: { partial_json: '{"a":1}' } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } },
        { type: 'message_stop' },
      ]),
    )
    const { id } = await set({ protocol: 'ANTHROPIC', baseUrl: server.url, key: KEY })
    const response = await call({
      endpointId: id,
      messages: [{ role: 'system', content: 'Be kind.' }, ...MESSAGES],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    })
    expect(await eventsOf(response)).toEqual([
      { type: 'usage', inputTokens: 9 },
      { type: 'text', text: 'Hi' },
      { type: 'tool', index: 1, name: 'f' },
      { type: 'tool', index: 1, arguments: '{"a":1}' },
      { type: 'usage', outputTokens: 4 },
      { type: 'end', reason: 'tool_use' },
    ])
    expect(server.asked[0]).toMatchObject({ path: '/v1/messages' })
    expect(server.asked[0]?.headers['x-api-key']).toBe(KEY)
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
      max_tokens: 1024,
      model: 'small',
      system: 'Be kind.',
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      stream: true,
    })
  })

  test('is answered while it runs, and ends at the endpoint when nobody reads on', async () => {
    let isClosed = false
    server.plays(
      openStream([COMPLETION[1]], (response) => {
        response.on('close', () => {
          isClosed = true
        })
      }),
    )
    const { id } = await set()
    const reader = (await call({ endpointId: id })).body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toBe('{"type":"text","text":"Hel"}\n')
    expect(isClosed).toBe(false)
    await reader?.cancel()
    await eventually(() => expect(isClosed).toBe(true))
  })

  test.each([
    [
      401,
      { error: { message: `no such key: ${KEY}` } },
      'the endpoint answered 401: no such key: …',
    ],
    [500, 'broken', 'the endpoint answered 500'],
    [302, '', 'the endpoint redirects (302), which is not followed'],
  ])('whose endpoint answers %i says so, without the key', async (status, body, message) => {
    server.plays((response) => {
      response.writeHead(status, { location: `${server.url}/elsewhere` })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const { id } = await set({ key: KEY })
    expect(await eventsOf(await call({ endpointId: id }))).toEqual([{ type: 'error', message }])
    expect(server.asked).toHaveLength(1)
  })

  test('uses the key that comes with it instead of the stored one', async () => {
    server.plays(stream(COMPLETION))
    const { id } = await set({ key: KEY })
    await eventsOf(await call({ endpointId: id, key: 'another' }))
    expect(server.asked[0]?.headers.authorization).toBe('Bearer another')
  })

  test.each([
    [{ endpointId: 'none' }, 404, 'no model endpoint has the id'],
    [{ endpointId: 7 }, 400, 'endpointId: expected an id'],
    [{ messages: [] }, 400, 'messages: expected a list of messages'],
    [{ messages: ['x'] }, 400, 'messages: expected a list of messages'],
    [{ settings: 'x' }, 400, 'settings: expected an object'],
    [{ tools: {} }, 400, 'tools: expected a list'],
    [{ key: `${KEY}\r\nx: y` }, 400, 'key: expected at most 2000 characters'],
  ])('with %j is rejected', async (given, status, message) => {
    const { id } = await set()
    const response = await call({ endpointId: id, ...given })
    expect(response.status).toBe(status)
    const text = await response.text()
    expect(text).toContain(message)
    expect(text).not.toContain(KEY)
    expect(server.asked).toEqual([])
  })

  test('needs a key of the project that may write', async () => {
    const { id } = await set()
    const { key } = (await ask('mutation { createApiKey(name: "r", scopes: [read]) { key } }'))
      .createApiKey
    for (const [apiKey, status] of [
      [key, 403],
      [(await service.createProject(`other ${id}`)).apiKey, 404],
    ])
      expect((await call({ endpointId: id }, { headers: { 'x-api-key': apiKey } })).status).toBe(
        status,
      )
    expect(server.asked).toEqual([])
  })

  test('beyond 20 at once waits for its turn', async () => {
    server.plays(openStream([COMPLETION[1]]))
    const { id } = await set()
    const running = await Promise.all(Array.from({ length: 20 }, () => call({ endpointId: id })))
    expect((await call({ endpointId: id })).status).toBe(429)
    await running.pop()?.body?.cancel()
    const again = await call({ endpointId: id })
    expect(again.status).toBe(200)
    for (const response of [...running, again]) await response.body?.cancel()
  })

  test('ends at its limits: silence, time and bytes', async () => {
    server.plays(openStream([COMPLETION[1]]))
    expect(await lastOf({ silenceMs: 50 })).toMatchObject({ message: /nothing for 0.05 seconds/ })
    expect(await lastOf({ totalMs: 50 })).toMatchObject({ message: /longer than 0.05 seconds/ })
    server.plays(stream(COMPLETION))
    expect(await lastOf({ answerBytes: 100 })).toMatchObject({ message: /larger than 100 bytes/ })
  })

  test.each([
    ['an answer in one piece', json({ choices: [{ message: { content: 'Hi' } }] })],
    ['a page', json('<html></html>', 200, { 'content-type': 'text/html' })],
  ])('that gets %s says that no event came', async (_, play) => {
    server.plays(play)
    expect(await lastOf()).toEqual({
      type: 'error',
      message: 'the endpoint answered 200 without an event',
    })
  })

  test('of an endpoint that wants another protocol ends', async () => {
    server.plays((response) => {
      response.socket?.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      )
    })
    expect(await lastOf()).toEqual({
      type: 'error',
      message: 'the endpoint closed the connection',
    })
  })

  test('that is not read to its end keeps no connection', async () => {
    let isClosed = false
    server.plays((response) => {
      response.writeHead(302, { location: '/elsewhere' }).write('moved')
      response.on('close', () => {
        isClosed = true
      })
    })
    expect(await lastOf()).toMatchObject({ message: /redirects/ })
    await eventually(() => expect(isClosed).toBe(true))
  })

  test('shows no part of its key where a long message is cut', async () => {
    const padding = '.'.repeat(490)
    server.plays(json({ error: { message: `${padding}${KEY}` } }, 401))
    expect(await lastOf()).toEqual({
      type: 'error',
      message: `the endpoint answered 401: ${padding}…`,
    })
  })
})

describe('an endpoint', () => {
  test('never shows its key, keeps it when it is renamed, and drops it when it leads elsewhere', async () => {
    const { id, hasKey } = await set({ key: KEY })
    expect(hasKey).toBe(true)
    expect(await set({ id, name: 'renamed' })).toEqual({ id, hasKey: true })
    const stored = await ask('{ modelEndpoints { id name protocol baseUrl model hasKey } }')
    expect(JSON.stringify(stored)).not.toContain(KEY)
    expect(await set({ id, baseUrl: 'https://models.example/v1' })).toEqual({ id, hasKey: false })
    await set({ id, key: KEY })
    expect(await set({ id, protocol: 'ANTHROPIC' })).toEqual({ id, hasKey: false })
    await set({ id, key: KEY })
    expect(await set({ id, key: '' })).toEqual({ id, hasKey: false })
    const remove = `mutation { deleteModelEndpoint(id: "${id}") { id } }`
    expect((await ask(remove)).deleteModelEndpoint).toEqual({ id })
    expect((await ask(remove)).deleteModelEndpoint).toBeNull()
  })

  test.each([
    ['ftp://models.example', 'expected a URL such as'],
    ['models.example', 'expected a URL such as'],
    ['http://models.example/v1', 'without TLS, the operator has to allow'],
    ['https://user:word@models.example', 'without a user, a query or a fragment'],
    ['https://models.example/v1?x=1', 'without a user, a query or a fragment'],
    ['https://localhost:11434/v1', 'allow localhost:11434 with --model-hosts'],
    ['https://10.0.0.1', 'expected a public address'],
    ['https://[::1]:8000', 'expected a public address'],
    ['https://[::ffff:127.0.0.2]', 'expected a public address'],
    ['https://0x7f.1.2.3', 'expected a public address'],
    ['https://169.254.169.254/latest', 'expected a public address'],
  ])('at %s is rejected', async (baseUrl, message) => {
    await expect(set({ baseUrl })).rejects.toThrow(message)
  })

  test('whose name leads to a private address is not connected to', async () => {
    server.plays(stream(COMPLETION))
    const { port } = new URL(server.url)
    const events = []
    // The name passes any check of the URL alone.
    for await (const event of askModel({
      protocol: openai,
      baseUrl: `https://localhost:${port}`,
      key: '',
      request: { model: 'm', messages: [], settings: {}, tools: [] },
      allowed: [],
      signal: new AbortController().signal,
    }))
      events.push(event)
    expect(events).toEqual([
      { type: 'error', message: expect.stringContaining('expected a public address') },
    ])
    expect(server.asked).toEqual([])
  })
})

test('addresses of private networks, of this machine and of documentation are not public', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111'])
    expect(isPublicAddress(address), address).toBe(true)
  for (const address of [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '224.0.0.1', '255.255.255.255', '192.0.2.1', '::1', '::', 'fe80::1'],
    ...['fd00::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:a00:1::', '2001:db8::1', 'x', ''],
  ])
    expect(isPublicAddress(address), address).toBe(false)
})

test('a sealed key opens under its own secret and context alone', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (key, context, other) => {
      const sealed = new Sealing('a').seal(key, context)
      expect(new Sealing('a').open(sealed, context)).toBe(key)
      expect(new Sealing('b').open(sealed, context)).toBeUndefined()
      if (other !== context) expect(new Sealing('a').open(sealed, other)).toBeUndefined()
      expect(new Sealing('a').open(other, context)).toBeUndefined()
    }),
  )
})

test('events are read however their bytes are cut', async () => {
  const line = fc.stringMatching(/^[a-z🙂:]{0,9}$/u)
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 9 }),
      async (list, end, size) => {
        const text = list.map((data) => `: comment${end}data: ${data}${end}${end}`).join('')
        const bytes = Buffer.from(text)
        const chunks = async function* () {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const found = []
        for await (const data of serverSentData(chunks())) found.push(data)
        expect(found).toEqual(list)
      },
    ),
  )
})

test('a long line that comes byte by byte costs no more than its bytes', async () => {
  const chunks = async function* () {
    yield Buffer.from(`data: ${'x'.repeat(1_000_000)}`)
    // By the whole line each, these would take longer than a test may.
    for (let left = 200_000; left > 0; left--) yield Buffer.from('y')
    yield Buffer.from('\n\n')
  }
  const found = []
  for await (const data of serverSentData(chunks())) found.push(data.length)
  expect(found).toEqual([1_200_000])
})

test('nothing of a call reaches the log', () => {
  expect(reports).toEqual([])
})
