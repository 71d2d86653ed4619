import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Relay {
  url: string
  close: () => Promise<unknown>
}

/** Listens on any free port of this machine. */
export const listenWith = async (listener: RequestListener): Promise<Relay> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The faults of a proxy between a client and a service. */
export interface Faults {
  /** Paths that it answers itself. */
  answers?: (path: string) => { status: number; body?: string } | undefined
  /** Called for each request; one for which it returns true is never answered. */
  holds?: (path: string) => boolean
  /** Milliseconds by which the time in its answers is later. */
  laterMs?: number
}

/** Starts a proxy before a service. */
export const startRelay = (
  target: string,
  { answers, holds, laterMs = 0 }: Faults,
): Promise<Relay> =>
  listenWith(async (request, response) => {
    if (holds?.(request.url ?? '')) return
    const own = answers?.(request.url ?? '')
    if (own !== undefined) {
      request.resume()
      response.writeHead(own.status, { 'content-type': 'text/html' }).end(own.body)
      return
    }
    const answer = await fetch(`${target}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      redirect: 'manual',
      ...(request.method === 'POST' ? { body: await bodyOf(request) } : {}),
    })
    const date = new Date(Date.now() + laterMs).toUTCString()
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? '',
      date,
    })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name))
      .map(([name, value]) => [name, String(value)]),
  )

const bodyOf = async (request: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return new Uint8Array(Buffer.concat(parts))
}
