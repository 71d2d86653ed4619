import { once } from 'node:events'
import { connect } from 'node:net'
import { createService, listen, type Service, type ServiceOptions } from '@stepwell/server'
import { afterEach, expect, test } from 'vitest'
import { StepwellClient } from '../../src/index.js'
import { eventually } from '../../test/support/eventually.js'
import { ConcurrencyLimiter } from '../src/http/admission/concurrency-limiter.js'
import { RateLimiter } from '../src/http/admission/rate-limiter.js'
import { Room } from '../src/http/admission/room.js'
import { post } from './support/ask.js'

let service: Service
let isOpen = false
const stop = async () => {
  if (isOpen) await service.close()
  isOpen = false
}
afterEach(stop)
const start = async (options: ServiceOptions = {}) => {
  service = await createService(options)
  isOpen = true
}
const ask = (key: string, query = '{ __typename }') =>
  service.fetch('http://stepwell.test/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query }),
  })

test('a key with too many requests gets the time to retry, and others are not delayed', async () => {
  await start({ limits: { requestsPerSecond: 2 } })
  const one = (await service.createProject('one')).apiKey
  const other = (await service.createProject('other')).apiKey
  // At once: on a busy machine, requests one after another may be slow enough for the limit.
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(one)))
  const taken = answers.filter(({ status }) => status === 200)
  expect(taken.length).toBeGreaterThanOrEqual(20)
  const refused = answers.find(({ status }) => status !== 200) as Response
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(
    ((await refused.json()) as { errors: [{ extensions: { code: string } }] }).errors[0].extensions
      .code,
  ).toBe('RATE_LIMITED')
  expect((await ask(other)).status).toBe(200)
})

test('a bucket fills again, a request for each part of a second', () => {
  const rate = new RateLimiter(10)
  let now = 1_000_000
  for (let index = 0; index < 100; index++) rate.take('key', now)
  expect(() => rate.take('key', now)).toThrow('more than 10 requests a second')
  now += 250
  rate.take('key', now)
  rate.take('key', now)
  expect(() => rate.take('key', now)).toThrow()
  expect(rate.refused).toBe(2)
})

test('a key that asks twice as often as it may gets every second request through', () => {
  const rate = new RateLimiter(10)
  let now = 1_000_000
  for (let index = 0; index < 100; index++) rate.take('key', now)
  let accepted = 0
  for (let index = 0; index < 200; index++) {
    now += 50
    try {
      rate.take('key', now)
      accepted++
    } catch {}
  }
  expect(accepted).toBe(100)
})

test('requests beyond the limit wait their turn, in order, and those beyond the queue are rejected', async () => {
  const limiter = new ConcurrencyLimiter({
    concurrentRequests: 2,
    waitingRequests: 2,
    waitMs: 1000,
  })
  const order: number[] = []
  const leaves = [await limiter.enter('k'), await limiter.enter('k')]
  const waiting = [3, 4].map(async (index) => {
    const leave = await limiter.enter('k')
    order.push(index)
    return leave
  })
  await expect(limiter.enter('k')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(limiter.state).toMatchObject({ inside: 2, waiting: 2, rejected: 1 })
  leaves[0]?.()
  leaves[0]?.()
  leaves[1]?.()
  for (const leave of await Promise.all(waiting)) leave()
  expect(order).toEqual([3, 4])
  expect(limiter.state).toMatchObject({ inside: 0, waiting: 0 })
})

test('a key with many requests leaves places to others, takes turns with them, and is the one that gets rejected', async () => {
  const limiter = new ConcurrencyLimiter({
    concurrentRequests: 16,
    waitingRequests: 3,
    waitMs: 60_000,
  })
  const many = await Promise.all(Array.from({ length: 4 }, () => limiter.enter('many')))
  const order: string[] = []
  const refused: string[] = []
  const wait = (key: string, name: string) =>
    limiter.enter(key).then(
      (leave) => {
        order.push(name)
        leave()
      },
      () => refused.push(name),
    )
  const waiting = ['m1', 'm2', 'm3'].map((name) => wait('many', name))
  // There are places for another key, at once.
  const others = await Promise.all(Array.from({ length: 4 }, () => limiter.enter('other')))
  expect(limiter.state).toMatchObject({ inside: 8, waiting: 3 })
  // When it has to wait too, the last of the key that has the most waiting loses its place.
  waiting.push(wait('other', 'o1'))
  await Promise.all(waiting.slice(2, 3))
  expect(refused).toEqual(['m3'])
  for (const leave of [...others, ...many]) leave()
  await Promise.all(waiting)
  expect(order.toSorted()).toEqual(['m1', 'm2', 'o1'])
  expect(order.indexOf('o1')).toBeLessThan(2)
})

test('of large bodies, four of each key are worked on at once; those that wait take no place', async () => {
  const limiter = new ConcurrencyLimiter({
    concurrentRequests: 40,
    waitingRequests: 9,
    waitMs: 60_000,
  })
  const large = (key: string) => limiter.enter(key, 256_000)
  const first = await Promise.all(['k', 'k', 'k', 'k'].map(large))
  let isFifthIn = false
  const fifth = large('k').then((leave) => {
    isFifthIn = true
    return leave
  })
  const others = await Promise.all([limiter.enter('k', 255_999), large('other')])
  expect(limiter.state).toMatchObject({ inside: 6, waiting: 1 })
  expect(isFifthIn).toBe(false)
  first[2]?.()
  for (const leave of [await fifth, ...first, ...others]) leave()
  expect(limiter.state).toEqual({ inside: 0, waiting: 0, rejected: 0 })
})

test('a large body that waits too long is rejected, and so is one beyond the queue; their turns are free again', async () => {
  const limiter = new ConcurrencyLimiter({ concurrentRequests: 4, waitingRequests: 1, waitMs: 20 })
  const large = () => limiter.enter('k', 1_000_000)
  const four = () => Promise.all([large(), large(), large(), large()])
  const leaves = await four()
  const waiting = large()
  await expect(large()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (const leave of leaves) leave()
  // While others have all places, turns among large bodies are of no use, and are given back.
  const others = await Promise.all(['a', 'b', 'c', 'd'].map((key) => limiter.enter(key)))
  await expect(large()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  for (const leave of others) leave()
  for (const leave of await four()) leave()
  expect(limiter.state).toMatchObject({ inside: 0, waiting: 0 })
})

const roomOf = (bytesInFlight: number) =>
  new Room({ bytesInFlight, concurrentRequests: 10, waitingRequests: 100, waitMs: 20 })

test('a body takes room as it arrives, and the oldest one always gets some', async () => {
  const room = roomOf(100)
  const [first, second] = [room.open('a'), room.open('b')]
  expect(first.grow(1000)).toBeUndefined()
  await expect(second.grow(1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(room.state.waiting).toBe(0)
  const later = second.grow(1)
  first.close()
  await later
  expect(room.state.bytes).toBe(1)
  second.close()
  second.close()
  expect(room.state.bytes).toBe(0)
})

test('a key that holds all it can get leaves half of the room to the next one, and that a third', async () => {
  const room = roomOf(1000)
  const fill = (key: string) => {
    // The oldest body may take all it needs, so the test uses another one.
    const hold = room.open(key)
    for (let bytes = 0; bytes < 2000; bytes++) {
      const waiting = hold.grow(1)
      if (waiting === undefined) continue
      waiting.catch(() => undefined)
      return hold.bytes
    }
    throw new Error('there is no end')
  }
  room.open('oldest')
  expect(fill('greedy')).toBe(500)
  expect(fill('next')).toBe(250)
  expect(fill('third')).toBe(125)
})

test('in a flood of requests, each is answered with its result or with 503 and Retry-After', async () => {
  await start({ limits: { concurrentRequests: 2, waitingRequests: 20, waitMs: 60_000 } })
  const { apiKey } = await service.createProject('storm')
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      ask(apiKey, `mutation { ingestStep(id: "s-${index}") { ok } }`),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  const stored = statuses.filter((status) => status === 200).length
  expect(stored).toBeGreaterThanOrEqual(22)
  expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
  expect(answers.find(({ status }) => status === 503)?.headers.get('retry-after')).toBe('1')
  const { body } = await post(
    service,
    '/api/graphql',
    { query: '{ steps(first: 1) { totalCount } }' },
    { 'x-api-key': apiKey },
  )
  expect(body.data.steps.totalCount).toBe(stored)
})

test('pages of other origins may send requests only if that is configured', async () => {
  const preflight = (origin: string) =>
    service.fetch('http://stepwell.test/api/graphql', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  await start()
  expect(
    (await preflight('https://app.example')).headers.get('access-control-allow-origin'),
  ).toBeNull()
  await stop()
  await start({ corsOrigins: ['https://app.example'] })
  const allowed = await preflight('https://app.example')
  expect(allowed.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(allowed.headers.get('access-control-allow-headers')).toContain('x-api-key')
  expect(
    (await preflight('https://evil.example')).headers.get('access-control-allow-origin'),
  ).toBeNull()
})

test('answers are marked as neither pages nor anything else that runs', async () => {
  await start()
  const { headers } = await service.fetch('http://stepwell.test/healthz')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('a client that sends a byte now and then delays nobody', async () => {
  await start()
  const { apiKey } = await service.createProject('slow')
  const listening = await listen(service, '127.0.0.1', 0)
  const port = Number(new URL(listening.url).port)
  const sockets = Array.from({ length: 300 }, () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /api/graphql HTTP/1.1\r\nhost: x\r\nx-slow: ')
    return socket
  })
  await eventually(() =>
    expect(sockets.every(({ readyState }) => readyState === 'open')).toBe(true),
  )
  const response = await fetch(`${listening.url}/api/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: '{"query":"{ __typename }"}',
  })
  expect(response.status).toBe(200)
  for (const socket of sockets) socket.destroy()
  await listening.stop()
})

test('of clients that left, queries are not read on, and what they recorded is stored', async () => {
  const lines: string[] = []
  await start({
    limits: { concurrentRequests: 4 },
    log: { format: 'json', access: 'all', write: (line) => lines.push(line) },
  })
  const { apiKey } = await service.createProject('left')
  const listening = await listen(service, '127.0.0.1', 0)
  const send = (body: string) => {
    const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    const head = `POST /api/graphql HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    socket.write(head + body, () => socket.destroy())
  }
  const aliases = Array.from(
    { length: 20 },
    (_, at) => `a${at}: steps(query: "name~${at}") { totalCount }`,
  )
  for (let index = 0; index < 40; index++) {
    send(JSON.stringify({ query: `{ ${aliases.join(' ')} }` }))
    send(JSON.stringify({ query: `mutation { ingestStep(id: "s${index}") { ok } }` }))
  }
  const stored = async () =>
    (await (await ask(apiKey, '{ steps { totalCount } }')).json()) as unknown
  await eventually(async () =>
    expect(await stored()).toEqual({ data: { steps: { totalCount: 40 } } }),
  )
  const refused = () => lines.filter((line) => line.includes('BAD_REQUEST'))
  await eventually(() => expect(refused().length).toBeGreaterThan(0))
  await listening.stop()
})

test('an answer beyond the size limit is rejected, and smaller ones still succeed', async () => {
  const service = await createService({ apiKey: 'k', limits: { answerBytes: 1_000_000 } })
  const { api } = new StepwellClient({ apiKey: 'k', fetch: service.fetch })
  const output = { content: 'x'.repeat(100_000) }
  await api.sendSteps(
    Array.from({ length: 15 }, (_, index) => ({ id: `s${index}`, threadId: 't', output })),
  )
  await expect(api.getSteps({ first: 15 })).rejects.toMatchObject({
    code: 'TOO_LARGE',
    message: expect.stringContaining('take more than 1 MB; ask for fewer'),
  })
  await expect(api.getThread('t')).rejects.toMatchObject({ code: 'TOO_LARGE' })
  expect((await api.getSteps({ first: 5 })).data).toHaveLength(5)
  let walked = 0
  for await (const _ of api.getSteps.all({ first: 5 })) walked++
  expect(walked).toBe(15)
  await service.close()
})

test('a connection is kept longer than load balancers keep theirs, and closed as soon as the service stops', async () => {
  await start()
  const { apiKey } = await service.createProject('kept')
  const listening = await listen(service, '127.0.0.1', 0)
  const body = '{"query":"{ __typename }"}'
  const socket = connect(Number(new URL(listening.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (data) => {
    received += data
  })
  const head = `POST /api/graphql HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write(head + body)
  await eventually(() => expect(received).toContain('"__typename"'))
  const kept = Number(/keep-alive: timeout=(\d+)/i.exec(received)?.[1])
  expect(kept).toBeGreaterThan(60)
  received = ''
  socket.write(head.replace('\r\n\r\n', '\r\nexpect: 100-continue\r\n\r\n'))
  await eventually(() => expect(received).toContain('100 Continue'))
  const ended = once(socket, 'close')
  // A deadline that is not reached: the request under way is answered, and its connection is closed.
  const stopped = listening.stop(600_000)
  socket.write(body)
  await eventually(() => expect(received).toContain('"__typename"'))
  await Promise.all([stopped, ended])
})
