// Many connections at once. Clients are in a thread of their own, so that they connect while the service is busy.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createService, listen, type Service } from '@stepwell/server'
import { afterEach, expect, test } from 'vitest'

const end: (() => unknown)[] = []
afterEach(async () => {
  for (const one of end.splice(0).reverse()) await one()
})

const CLIENTS = `
  const { connect } = require('node:net')
  const { workerData: { port, count, flag, request } } = require('node:worker_threads')
  let connected = 0
  const done = () => {
    connected++
    if (connected === count) open(() => {
      Atomics.store(flag, 0, 1)
      Atomics.notify(flag, 0)
    }).write(request)
  }
  const open = (then) => connect(port, '127.0.0.1', then).on('error', () => undefined)
  for (let at = 0; at < count; at++) open(done)
`

/**
 * Holds the event loop until this many clients are connected, and one behind them that sends a request. Returns false
 * when they cannot connect.
 */
const connectAtOnce = async (url: string, count: number) => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const request = 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'
  const worker = new Worker(CLIENTS, {
    eval: true,
    workerData: { port: Number(new URL(url).port), count, flag, request },
  })
  end.push(() => worker.terminate())
  await once(worker, 'online')
  return () => Atomics.wait(flag, 0, 0, 20_000) !== 'timed-out'
}

const start = async (
  heard: (request: Request) => void = () => undefined,
): Promise<[Service, string]> => {
  const service = await createService({ apiKey: 'k' })
  end.push(() => service.close())
  const hearing = {
    ...service,
    fetch: (input: Request | URL | string, init?: RequestInit) => {
      if (input instanceof Request) heard(input)
      return service.fetch(input, init)
    },
  }
  const { url, stop } = await listen(hearing, '127.0.0.1', 0)
  end.push(() => stop(100))
  return [service, url]
}

// Elsewhere the system queues fewer, whatever it is asked for.
test.runIf(process.platform === 'linux')(
  'a thousand clients that connect while the service is busy all get a connection',
  async () => {
    const [, url] = await start()
    const connect = await connectAtOnce(url, 1000)
    expect(connect()).toBe(true)
  },
)

test('a client that connects behind two hundred others does not wait for the work of another key', async () => {
  let done = 0
  let doneBefore: number | undefined
  const [service, url] = await start(() => {
    doneBefore = done
  })
  const connect = await connectAtOnce(url, 200)
  const work = Array.from({ length: 400 }, async (_, at) => {
    const response = await service.fetch('http://stepwell.test/api/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'k' },
      body: JSON.stringify({ query: `#${at}${'x'.repeat(90_000)}\n{ nothing }` }),
    })
    // On a slow machine some of so many at once are sent away, which is work too.
    expect([400, 503]).toContain(response.status)
    done++
  })
  expect(connect()).toBe(true)
  await Promise.all(work)
  expect(doneBefore).toBeLessThan(200)
})
