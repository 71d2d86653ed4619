import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { eventually } from './eventually.js'

export interface SentStep {
  id: string
  sequence: number
  [field: string]: unknown
}

export interface Received {
  steps: SentStep[]
  threads: Record<string, unknown>[]
  session: Record<string, unknown>
  bytes: number
  headers: IncomingMessage['headers']
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** The answer of a service that takes everything. */
const TAKEN = { data: { ingestSteps: { ok: true, refused: [], refusedThreads: [] } } }

/** A server that answers as a test tells it to, in ways that a real service does not on demand. */
export class Sink {
  /** Returns the answer; undefined to take everything, `silent` to never answer. */
  answer: (received: Received) => Answer | 'silent' | undefined | Promise<Answer | undefined> =
    () => undefined
  readonly requests: Received[] = []
  url = ''
  #server: Server | undefined

  /** The steps of the requests that were answered with success. */
  readonly taken: SentStep[] = []

  async start(port = 0): Promise<void> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', async () => {
        const raw = Buffer.concat(parts)
        const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
        const { variables } = JSON.parse(text.toString())
        const received: Received = {
          steps: variables.steps,
          threads: variables.threads ?? [],
          session: variables.session,
          bytes: text.length,
          headers: request.headers,
        }
        this.requests.push(received)
        const answer = await this.answer(received)
        if (answer === 'silent') return
        const { status = 200, headers = {}, body = TAKEN } = answer ?? {}
        if (status < 300) this.taken.push(...received.steps)
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify(body))
      })
    })
    // A port that was left may be that of a connection of another process for a moment.
    await eventually(async () => {
      this.#server?.listen(port, '127.0.0.1')
      await once(this.#server as Server, 'listening')
    })
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }
}

export const useSink = (): Sink => {
  const sink = new Sink()
  beforeAll(() => sink.start())
  beforeEach(() => {
    sink.answer = () => undefined
    sink.requests.length = 0
    sink.taken.length = 0
  })
  afterAll(() => sink.stop())
  return sink
}
