import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call that a webhook received. */
export interface Received {
  headers: IncomingHttpHeaders
  text: string
  // The shape of a body depends on the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
}

/** A webhook on a socket, which keeps what it receives. */
export class Receiver {
  readonly calls: Received[] = []
  /** The statuses of the next answers; 200 when there is none. A negative one leaves the call without an answer. */
  readonly statuses: number[] = []
  /** The headers of all answers. */
  headers: Record<string, string> = {}
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<Receiver> {
    const server = createServer((request, response) => {
      let text = ''
      request.setEncoding('utf8')
      request.on('data', (part) => {
        text += part
      })
      request.on('end', () => {
        receiver.calls.push({ headers: request.headers, text, body: JSON.parse(text) })
        const status = receiver.statuses.shift() ?? 200
        if (status >= 0) response.writeHead(status, receiver.headers).end('thanks')
      })
    })
    const receiver = new Receiver(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks/secret-path`
  }

  /** Returns the types of the calls so far, tests apart. */
  get types(): string[] {
    return this.calls.map(({ body }) => body.type)
  }

  clear(): void {
    this.calls.length = 0
    this.statuses.length = 0
    this.headers = {}
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Verifies a call as a receiver does, by the specification of Standard Webhooks. */
export const isSigned = ({ headers, text }: Received, secret: string): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': given } = headers
  const expected = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`${id}.${seconds}.${text}`)
    .digest('base64')
  return given === `v1,${expected}`
}
