import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, request, type Server } from 'node:http'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createService } from '@stepwell/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDatabase } from './support/new-database.js'

// A proxy that keeps connections and tries nothing twice, before two processes of the service that are restarted in turn.
const root = join(import.meta.dirname, '../..')
let folder: string
/** Of both processes, where the tests run on a server; else each has an embedded one. */
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

const freePort = async () => {
  const socket = createSocketServer()
  await once(socket.listen(0, '127.0.0.1'), 'listening')
  const { port } = socket.address() as AddressInfo
  socket.close()
  return port
}

class Backend {
  readonly port: number
  readonly #data: string
  readonly agent = new Agent({ keepAlive: true, maxSockets: 50 })
  isReady = false
  process: ChildProcess | undefined

  constructor(port: number, data: string) {
    this.port = port
    this.#data = data
  }

  async start(): Promise<void> {
    const child = spawn(
      process.execPath,
      [
        'scripts/run.js',
        'server/test/support/serve.ts',
        '--data',
        this.#data,
        '--port',
        `${this.port}`,
      ],
      {
        cwd: root,
        env: { ...process.env, STEPWELL_API_KEY: 'key', DATABASE_URL: databaseUrl },
        stdio: 'ignore',
      },
    )
    children.push(child)
    this.process = child
    while (!(await this.look())) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}`)
      await wait(50)
    }
  }

  async look(): Promise<boolean> {
    this.isReady = await fetch(`http://127.0.0.1:${this.port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    )
    return this.isReady
  }

  /** Gives the exit code. */
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
      {
        port: backend.port,
        host: '127.0.0.1',
        agent: backend.agent,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, connection: 'keep-alive' },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500)
        answer.pipe(outgoing)
      },
    )
    forwarded.on('error', () => {
      if (!outgoing.headersSent) outgoing.writeHead(502)
      outgoing.end()
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
  const backends = await Promise.all(
    ['a', 'b'].map(async (name) => new Backend(await freePort(), join(folder, name))),
  )
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
          await response.text()
          return String(response.status)
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
}, 600_000)

test('a service that is told to retire is alive, not ready, and answers as before', async () => {
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
