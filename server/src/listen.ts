import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { Lingering } from './http/admission/lingering.js'
import { badRequest, refusal } from './http/answers.js'
import { incomingOf, outgoingOf } from './http/node-messages.js'
import type { Service } from './service.js'

export interface Listening {
  /** The service's URL, without a slash at the end. */
  url: string
  /**
   * Closes connections gradually before `stop`: answers announce that their connection ends with them, and idle
   * connections are closed. Resolves once there have been none for a moment, or after `forMs`.
   */
  drain: (forMs: number) => Promise<void>
  /** Stops taking requests and resolves once those under way are answered, or `deadlineMs` have passed. */
  stop: (deadlineMs?: number) => Promise<void>
}

const HEADERS_TIMEOUT_MS = 20_000
/** Node looks twice a minute by default, so that a connection without headers would stay for half a minute longer. */
const CHECK_TIMEOUTS_EVERY_MS = 2_000
/** A large upload may take long, as long as it makes progress. */
const REQUEST_TIMEOUT_MS = 3_600_000
const IDLE_TIMEOUT_MS = 75_000
/** Longer than the usual 60 seconds of load balancers, which would send into a connection that is just being closed. */
const KEEP_ALIVE_MS = 75_000
const LET_GO_MS = 20
/** A connection that was used a moment ago may just be used again. */
const UNUSED_MS = 500
const QUIET_MS = 500
/**
 * Connections in the system's queue until they are accepted, if it allows as many. A client that finds it full tries
 * again after one second, then two, then four.
 */
const MAX_ARRIVED = 4096

/** Serves over a socket; port 0 takes any that is free. */
export const listen = async (service: Service, host: string, port: number): Promise<Listening> => {
  const server = createAdaptorServer({
    fetch: (request, { incoming, outgoing }) => {
      if (!URL.canParse(request.url)) return noAddress()
      incomingOf.set(request, incoming as IncomingMessage)
      outgoingOf.set(request, outgoing as ServerResponse)
      return service.fetch(request)
    },
    // Load balancers look after the service by HTTP/1.0, which needs no host.
    hostname: 'localhost',
    serverOptions: { connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS },
  }) as Server
  // Clients that send or read nothing are disconnected: headers have to arrive soon, and some data every now and then.
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.setTimeout(IDLE_TIMEOUT_MS)
  server.keepAliveTimeout = KEEP_ALIVE_MS
  server.on('connection', () => service.connected())
  const connections = new Connections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explained(error, host, port)))
    server.listen({ port, host, backlog: MAX_ARRIVED }, resolve)
  })
  const { port: actual } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    drain: (forMs) => connections.drain(forMs),
    stop: async (deadlineMs = 10_000) => {
      connections.endLingering()
      // The port closes once all that has connected by now is accepted: the rest would be cut off.
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
        // Connections whose answer ends now would be kept for a next request, which does not come.
        const idle = setInterval(() => void connections.closeUnused(), LET_GO_MS)
        // The one of HTTP also closes connections whose first request is on its way.
        const { close }: NetServer = connections.isDraining ? NetServer.prototype : server
        close.call(server, () => {
          clearTimeout(deadline)
          clearInterval(idle)
          resolve()
        })
        void connections.closeUnused()
      })
    },
  }
}

/** Turns an error of an unusable address into one with the remedy. */
const explained = (error: NodeJS.ErrnoException, host: string, port: number): Error => {
  const another = 'choose another one with --port, 0 for any that is free'
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(
        `port ${port} of ${host} is in use by another process; stop that one, or ${another}`,
        { cause: error },
      )
    case 'EACCES':
      return new Error(`this user may not listen at port ${port}; ${another}`, { cause: error })
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(
        `this machine has no address ${host}; name one with --host, 0.0.0.0 for all of them`,
        { cause: error },
      )
    default:
      return error
  }
}

/** Clients may send any host, and a path that no URL has. */
const noAddress = () => refusal(badRequest('host: expected the name and port of this service'))

interface Use {
  requests: number
  /** The time of the last answer, and the bytes received until then. */
  at: number
  bytesRead: number
}

/** The connections of a server, and when each was used. */
class Connections {
  readonly #server: Server
  readonly #uses = new Map<Socket, Use>()
  /** The time since which answers announce the end of their connections; `undefined` when they do not. */
  #drainingSince: number | undefined

  readonly #lingering = new Lingering()

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#lingering.watch(socket)
      this.#uses.set(socket, { requests: 0, at: performance.now(), bytesRead: 0 })
      socket.on('close', () => this.#uses.delete(socket))
    })
    // Before the service sees it, as its headers are sent in one piece.
    server.prependListener('request', (request, response) => {
      const { socket } = request
      this.#lingering.note(request, response)
      const use = this.#uses.get(socket)
      if (use === undefined) return
      use.requests++
      if (this.#drainingSince !== undefined) response.setHeader('connection', 'close')
      response.on('close', () => {
        use.requests--
        use.at = performance.now()
        use.bytesRead = socket.bytesRead
      })
    })
  }

  /** Closes connections that only wait for the rest of a body whose answer was sent. */
  endLingering(): void {
    this.#lingering.end()
  }

  get isDraining(): boolean {
    return this.#drainingSince !== undefined
  }

  async drain(forMs: number): Promise<void> {
    if (this.#uses.size === 0) return
    const begin = performance.now()
    this.#drainingSince = begin
    const end = begin + forMs
    let used = begin
    while (performance.now() < end && performance.now() - used < QUIET_MS) {
      await new Promise((resolve) => setTimeout(resolve, LET_GO_MS))
      const isUsed = this.#uses.size > 0
      await this.closeUnused()
      if (isUsed) used = performance.now()
    }
  }

  /**
   * Closes connections that nobody uses. After a drain these are the ones that were not used for a moment: a proxy that
   * does not ask for readiness goes on connecting until nobody listens, and its request is still on its way.
   */
  async closeUnused(): Promise<void> {
    const since = this.#drainingSince
    if (since === undefined) {
      this.#server.closeIdleConnections()
      return
    }
    // Timers run before the data that arrived while the process was busy; this reads that data first.
    await new Promise((resolve) => setImmediate(resolve))
    const now = performance.now()
    // Until the end was announced, a client could rightly use an idle connection.
    for (const [socket, { requests, at, bytesRead }] of this.#uses)
      if (requests === 0 && now - Math.max(at, since) > UNUSED_MS && socket.bytesRead === bytesRead)
        socket.destroySoon()
  }
}
