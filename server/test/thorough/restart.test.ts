import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createService, type Listening, listen } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDatabase } from '../support/new-database.js'
import { startService } from '../support/start-service.js'

// A proxy that keeps connections and never retries, before two processes of the service that are restarted in turn.
let folder: string
/** Shared by both processes on a server; otherwise each has an embedded one. */
let databaseUrl = ''
let drop: () => Promise<void>
const children: ChildProcess[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-restart-'))
  const { location, drop: end } = await newDatabase()
  if ('url' in location) databaseUrl = location.url
  drop = end
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await drop?.()
  await rm(folder, { recursive: true, force: true })
})

class Backend {
  readonly #data: string
  readonly agent = new Agent({ keepAlive: true, maxSockets: 50 })
  isReady = false
  url = ''
  process: ChildProcess | undefined

  constructor(data: string) {
    this.#data = data
  }

  async start(): Promise<void> {
    const { process, url } = await startService(['--data', this.#data], {
      environment: { DATABASE_URL: databaseUrl },
      started: (child) => children.push(child),
    })
    Object.assign(this, { process, url })
    await this.look()
  }

  async look(): Promise<void> {
    const { url } = this
    const isReady = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
    // A late answer of the previous process does not describe this one.
    if (url === this.url) this.isReady = isReady
  }

  /** Returns the exit code. */
  async stop(): Promise<number | null> {
    const child = this.process as ChildProcess
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await ended
    return code
  }
}

const proxyFor = async (
  backends: Backend[],
): Promise<{ server: Server; url: string; end: () => void }> => {
  let next = 0
  const server = createServer((incoming, outgoing) => {
    const ready = backends.filter(({ isReady }) => isReady)
    const backend = ready[next++ % ready.length] ?? (backends[0] as Backend)
    const forwarded = request(
      new URL(incoming.url ?? '/', backend.url),
      {
        agent: backend.agent,
        method: incoming.method,
        headers: { ...incoming.headers, connection: 'keep-alive' },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500)
        answer.pipe(outgoing)
      },
    )
    forwarded.on('error', (error) => {
      if (!outgoing.headersSent) outgoing.writeHead(502)
      outgoing.end(`${error}`)
    })
    incoming.pipe(forwarded)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const looking = setInterval(() => {
    for (const backend of backends) if (backend.process?.exitCode === null) void backend.look()
  }, 200)
  const { port } = server.address() as AddressInfo
  return {
    server,
    url: `http://127.0.0.1:${port}`,
    end: () => {
      clearInterval(looking)
      server.closeAllConnections()
      server.close()
    },
  }
}

test('clients behind a proxy notice nothing when processes are restarted one after another, and each ends with 0', async () => {
  const backends = ['a', 'b'].map((name) => new Backend(join(folder, name)))
  for (const backend of backends) await backend.start()
  const proxy = await proxyFor(backends)
  const statuses = new Map<string, number>()
  let stopped = false
  const client = async (lane: number) => {
    for (let index = 0; !stopped; index++) {
      const query = `mutation { ingestStep(id: "${lane}-${index}") { ok } }`
      const status = await fetch(`${proxy.url}/api/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
        body: JSON.stringify({ query }),
      }).then(
        async (response) => {
          const text = await response.text()
          return response.ok ? '200' : `${response.status} ${text}`
        },
        (error) => String(error.cause ?? error),
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const clients = Array.from({ length: 8 }, (_, lane) => client(lane))
  const codes: (number | null)[] = []
  for (const backend of backends) {
    await wait(500)
    codes.push(await backend.stop())
    await backend.start()
  }
  stopped = true
  await Promise.all(clients)
  proxy.end()
  expect(codes).toEqual([0, 0])
  expect([...statuses.keys()]).toEqual(['200'])
  expect(statuses.get('200')).toBeGreaterThan(50)
  for (const backend of backends) backend.agent.destroy()
  expect(await Promise.all(backends.map((backend) => backend.stop()))).toEqual([0, 0])
})

/** Serves over a socket, for as long as a test needs it. */
const whileListening = async (use: (listening: Listening) => Promise<void>): Promise<void> => {
  const service = await createService()
  const listening = await listen(service, '127.0.0.1', 0)
  try {
    await use(listening)
  } finally {
    await listening.stop(0)
    await service.close()
  }
}

test('an idle connection still accepts a request of a client that cannot yet know that the service stops', () =>
  whileListening(async ({ url, drain }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async () => {
      const asked = request(`${url}/healthz`, { agent }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      await once(answer.resume(), 'end')
      return { isReused: asked.reusedSocket, connection: answer.headers.connection }
    }
    await ask()
    // The connection is older than one that the service considers unused.
    await wait(700)
    const draining = drain(5000)
    await wait(100)
    expect(await ask()).toEqual({ isReused: true, connection: 'close' })
    await draining
  }))

/** Sends a request, and another one on the same connection as soon as the number becomes 1. Reports the result. */
const ASK_TWICE = `
  const { parentPort, workerData } = require('node:worker_threads')
  const socket = require('node:net').connect(workerData.port, '127.0.0.1')
  const ask = () => socket.write('GET /healthz HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n')
  let text = ''
  socket.on('connect', ask)
  socket.on('error', () => undefined)
  socket.on('close', () => parentPort.postMessage(text.split('HTTP/1.1 200').length - 1))
  socket.on('data', (data) => {
    if (text === '') parentPort.postMessage('idle')
    text += data
  })
  const looking = setInterval(() => {
    if (Atomics.load(workerData.isStalled, 0) === 0) return
    clearInterval(looking)
    ask()
  }, 5)
`

test('a request that arrived while the process was busy is answered before its connection counts as unused', () =>
  whileListening(async ({ url, drain }) => {
    const isStalled = new Int32Array(new SharedArrayBuffer(4))
    const client = new Worker(ASK_TWICE, {
      eval: true,
      workerData: { port: Number(new URL(url).port), isStalled },
    })
    expect(await once(client, 'message')).toEqual(['idle'])
    const answers = once(client, 'message')
    const draining = drain(5000)
    Atomics.store(isStalled, 0, 1)
    // Nothing runs in between, as on an overloaded machine.
    Atomics.wait(isStalled, 0, 1, 1000)
    expect(await answers).toEqual([2])
    await draining
    await client.terminate()
  }))

test('a retired service is alive, not ready, and answers as before', async () => {
  const service = await createService({ apiKey: 'k' })
  const status = async (path: string) => (await service.fetch(`http://x${path}`)).status
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200])
  service.retire()
  expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 503])
  const answer = await service.fetch('http://x/api/graphql', {
    method: 'POST',
    headers: { 'x-api-key': 'k' },
    body: '{"query":"{ __typename }"}',
  })
  expect(answer.status).toBe(200)
  await service.close()
})
