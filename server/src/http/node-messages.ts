import type { IncomingMessage } from 'node:http'

/** Node's requests, for those that arrived through a socket. */
export const incomingOf = new WeakMap<Request, IncomingMessage>()
