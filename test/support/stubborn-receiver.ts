import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of OTLP in front of a real one: it forwards a request, or answers it itself, or drops it. */
export class StubbornReceiver {
  url = ''
  /** The bodies of requests that came, whatever became of them. */
  requests = 0
  headers: IncomingMessage['headers'][] = []
  /** Decides on a request by its number, from 0: an answer, a fault, or `forward` to ask the real receiver. */
  decide: (
    index: number,
    body: Buffer,
  ) =>
    | 'forward'
    | 'drop'
    | 'drop answer'
    | 'hold'
    | { status: number; headers?: object; body?: string | Buffer } = () => 'forward'
  readonly #target: () => { url: string; apiKey: string }
  #server: Server | undefined

  constructor(target: () => { url: string; apiKey: string }) {
    this.#target = target
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        this.#answer(request, Buffer.concat(parts), response).catch(() => response.destroy())
      })
      request.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  async #answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers)
    const decision = this.decide(this.requests++, body)
    if (decision === 'hold') return
    if (decision === 'drop') {
      request.socket.destroy()
      return
    }
    if (typeof decision === 'object') {
      response.writeHead(decision.status, { ...decision.headers }).end(decision.body ?? '')
      return
    }
    const { url, apiKey } = this.#target()
    const answer = await fetch(`${url}${request.url}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: {
        'x-api-key': apiKey,
        'content-type': String(request.headers['content-type']),
        'content-encoding': String(request.headers['content-encoding'] ?? 'identity'),
      },
    })
    const content = Buffer.from(await answer.arrayBuffer())
    if (decision === 'drop answer') {
      request.socket.destroy()
      return
    }
    response
      .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      .end(content)
  }
}
