import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/** A request as a model's server got it. */
export interface Asked {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** Answers one request. */
export type Play = (response: ServerResponse, asked: Asked) => void | Promise<void>

/** A server that plays the answers of a model's provider, one after another; the last one is repeated. */
export class ModelServer {
  url = ''
  readonly asked: Asked[] = []
  #plays: Play[] = []
  #server: Server | undefined
  #limit: AbortController | undefined

  /** Sets the answers of the next requests. */
  plays(...plays: Play[]): void {
    this.#plays = plays
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', async () => {
        const asked = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(parts).toString(),
        }
        this.asked.push(asked)
        this.#limit?.abort(new DOMException('aborted due to timeout', 'TimeoutError'))
        const play = this.#plays.length > 1 ? this.#plays.shift() : this.#plays[0]
        if (play === undefined) response.writeHead(500).end('no answer is set')
        else await play(response, asked)
      })
    })
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Returns the signal of a time limit that is over once the next request has come, however slow the machine is. */
  limit(): AbortSignal {
    this.#limit = new AbortController()
    return this.#limit.signal
  }

  clear(): void {
    this.#limit = undefined
    this.asked.length = 0
    this.#plays = []
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }
}

export const useModelServer = (): ModelServer => {
  const server = new ModelServer()
  beforeAll(() => server.start())
  beforeEach(() => server.clear())
  afterAll(() => server.stop())
  return server
}

/** Plays an answer in one piece. */
export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Play =>
  (response) => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-request-id': 'request-1',
      ...headers,
    })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** Returns the text of server-sent events. */
const eventsText = (events: readonly unknown[]): string =>
  events
    .map((event) => {
      if (typeof event === 'string') return `data: ${event}\n\n`
      const { type } = event as { type?: unknown }
      return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
    })
    .join('')

/** Plays server-sent events; a text is sent as it is. With `cutAt`, in pieces of so many bytes. */
export const stream =
  (events: readonly unknown[], cutAt?: number): Play =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    const bytes = Buffer.from(eventsText(events))
    for (let at = 0; at < bytes.length; at += cutAt ?? bytes.length) {
      response.write(bytes.subarray(at, at + (cutAt ?? bytes.length)))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  }

/** Plays some events, and then leaves the answer open. */
export const openStream =
  (events: readonly unknown[], onOpen?: (response: ServerResponse) => void): Play =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(eventsText(events))
    onOpen?.(response)
  }
