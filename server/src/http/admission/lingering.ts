import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Time for which the rest of a body is still read once its request was answered, and the longest pause in it; as nginx has them. */
const TIMES = { forMs: 30_000, pauseMs: 5_000 }

interface Exchange {
  request: IncomingMessage
  /** False until the answer has ended. Before, Node itself closes the connection, if the answer has announced that. */
  isAnswered: boolean
}

/**
 * Keeps connections from being closed in the middle of a body whose answer was sent already, as one that is too large: a
 * client that reads only after it has sent everything would find the connection reset, and never learn why. The rest of
 * the body is read, and thrown away. Once it has come, the connection goes on.
 */
export class Lingering {
  readonly #exchanges = new WeakMap<Socket, Exchange>()
  readonly #ends = new Set<() => void>()
  readonly #times: typeof TIMES
  #isOver = false

  constructor(times = TIMES) {
    this.#times = times
  }

  /** Watches over a new connection. */
  watch(socket: Socket): void {
    const close = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const exchange = this.#exchanges.get(socket)
      const mayLinger = exchange?.isAnswered === true && !exchange.request.complete
      if (mayLinger && !this.#isOver) this.#linger(socket, exchange.request, close)
      else close()
    }
  }

  /** Notes the request that a connection is at. */
  note(request: IncomingMessage, response: ServerResponse): void {
    const exchange = { request, isAnswered: false }
    this.#exchanges.set(request.socket, exchange)
    response.once('finish', () => {
      exchange.isAnswered = true
    })
  }

  /** Closes what lingers, and lets nothing linger any more. */
  end(): void {
    this.#isOver = true
    for (const end of this.#ends) end()
  }

  #linger(socket: Socket, request: IncomingMessage, close: () => void): void {
    const { forMs, pauseMs } = this.#times
    const stop = () => {
      clearTimeout(whole)
      clearInterval(pauses)
      request.off('end', stop)
      this.#ends.delete(end)
    }
    const end = () => {
      stop()
      close()
    }
    let { bytesRead } = socket
    const whole = setTimeout(end, forMs)
    const pauses = setInterval(() => {
      if (socket.bytesRead === bytesRead) end()
      bytesRead = socket.bytesRead
    }, pauseMs)
    this.#ends.add(end)
    request.on('end', stop)
    socket.once('close', stop)
    // Nobody reads it any more; a listener that is left might pause it.
    request.removeAllListeners('data').resume()
  }
}
