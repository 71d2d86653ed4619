import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach } from 'vitest'
import type { Span } from '../../src/otlp/span.js'

interface Request {
  headers: IncomingHttpHeaders
  resource: Record<string, unknown>
  spans: Span[]
}

interface Answer {
  status: number
  body?: string
  headers?: Record<string, string>
}

/** A collector that keeps what it accepts. */
export class Collector {
  url = ''
  requests: Request[] = []
  /** The answer to a request; a request that is not accepted is not kept. */
  answer: (spans: readonly Span[]) => Answer = () => ({ status: 200 })
  #server: Server | undefined

  get spans(): Span[] {
    return this.requests.flatMap(({ spans }) => spans)
  }

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const packed = Buffer.concat(parts)
        const isPacked = request.headers['content-encoding'] === 'gzip'
        const body = JSON.parse((isPacked ? gunzipSync(packed) : packed).toString())
        const [first] = body.resourceSpans
        const spans = first?.scopeSpans[0].spans ?? []
        const { status, body: text = '{}', headers } = this.answer(spans)
        if (status === 200)
          this.requests.push({
            headers: request.headers,
            resource: valuesOf(first?.resource.attributes ?? []),
            spans,
          })
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
      })
    })
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }
}

export const useCollector = (): Collector => {
  const collector = new Collector()
  beforeEach(async () => {
    collector.requests = []
    collector.answer = () => ({ status: 200 })
    await collector.start()
  })
  afterEach(() => collector.stop())
  return collector
}

/** Returns attributes as an object. */
export const valuesOf = (
  attributes: readonly { key: string; value: object }[],
): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
