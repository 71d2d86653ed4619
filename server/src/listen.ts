import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Service } from './service.js'

export interface Listening {
  /** Where it is reached, without a slash at the end. */
  url: string
  /** Stops taking requests and resolves once those under way are answered, or `deadlineMs` have passed. */
  stop: (deadlineMs?: number) => Promise<void>
}

const HEADERS_TIMEOUT_MS = 20_000
/** A large upload takes its time, as long as it goes on. */
const REQUEST_TIMEOUT_MS = 3_600_000
const IDLE_TIMEOUT_MS = 75_000
/** Longer than the usual 60 seconds of load balancers, which would send into a connection that is just being closed. */
const KEEP_ALIVE_MS = 75_000
const LET_GO_MS = 20

/** Serves over a socket; port 0 takes any that is free. */
export const listen = async (service: Service, host: string, port: number): Promise<Listening> => {
  const server = createAdaptorServer({ fetch: (request) => service.fetch(request) }) as Server
  // Those that send nothing, or read nothing, are let go: headers have to come soon, and something every now and then.
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.setTimeout(IDLE_TIMEOUT_MS)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    stop: (deadlineMs = 10_000) =>
      new Promise((resolve) => {
        const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
        // Those that are answered meanwhile would be kept for the next request, which does not come.
        const idle = setInterval(() => server.closeIdleConnections(), LET_GO_MS)
        server.close(() => {
          clearTimeout(deadline)
          clearInterval(idle)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
