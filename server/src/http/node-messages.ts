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
 * Resolves once what was written of the answer to a request was handed to the system, or its connection closed: what waits
 * in this process is lost when the connection is broken off.
 */
export const onceFlushed = (request: Request): Promise<void> =>
  new Promise((resolve) => {
    const outgoing = outgoingOf.get(request)
    if (outgoing === undefined || outgoing.destroyed) return resolve()
    outgoing.once('close', resolve)
    outgoing.write('', () => resolve())
  })

/** Returns false once the client has left before its answer; always true for a request that came through no socket. */
export const isAwaited = (request: Request): boolean => outgoingOf.get(request)?.closed !== true
