import type { IncomingMessage } from 'node:http'

/** Requests as Node has them, for those that came by a socket. */
export const incomingOf = new WeakMap<Request, IncomingMessage>()
