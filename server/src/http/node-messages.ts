import type { IncomingMessage, ServerResponse } from 'node:http'

/** Node's requests, for those that arrived through a socket. */
export const incomingOf = new WeakMap<Request, IncomingMessage>()

/** Node's answers to them. */
export const outgoingOf = new WeakMap<Request, ServerResponse>()

/** Calls back once the answer to a request was sent or its connection closed; at once if it came through no socket. */
export const onceSent = (request: Request, done: () => void): void => {
  const outgoing = outgoingOf.get(request)
  if (outgoing === undefined || outgoing.closed) done()
  else outgoing.once('close', done)
}

/**
 * Closes the connection of an answer that cannot be whole, once what was written was handed to the system: what waits in
 * this process would be lost. An answer that fails instead is a fault to the adapter, which writes it beside the log.
 */
export const breakOff = (request: Request): Promise<void> =>
  new Promise((resolve) => {
    const outgoing = outgoingOf.get(request)
    if (outgoing === undefined || outgoing.destroyed) return resolve()
    outgoing.once('close', resolve)
    outgoing.write('', () => outgoing.destroy())
  })

/** Returns false once the client has left before its answer; always true for a request that came through no socket. */
export const isAwaited = (request: Request): boolean => outgoingOf.get(request)?.closed !== true
