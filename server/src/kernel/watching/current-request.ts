import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../../generated/resolvers.js'

/** The part that was rejected: the whole request, one field of its document, or one item of a batch. */
export type RefusedPart = 'request' | 'field' | 'item'

/** Notes about a request, until its answer is sent. */
export class CurrentRequest {
  readonly id: string
  /** The id of the API key, never the key. */
  keyId: string | undefined
  readonly #refusals = new Map<`${RefusedPart} ${ErrorCode}`, number>()

  constructor(id: string) {
    this.id = id
  }

  note(part: RefusedPart, code: ErrorCode, count = 1): void {
    const key = `${part} ${code}` as const
    this.#refusals.set(key, (this.#refusals.get(key) ?? 0) + count)
  }

  get refusals(): { part: RefusedPart; code: ErrorCode; count: number }[] {
    return [...this.#refusals].map(([key, count]) => {
      const [part, code] = key.split(' ') as [RefusedPart, ErrorCode]
      return { part, code, count }
    })
  }
}

const current = new AsyncLocalStorage<CurrentRequest>()

/** Returns the request that is being answered, if any. */
export const currentRequest = (): CurrentRequest | undefined => current.getStore()

/** Runs a function within a request. */
export const withinRequest = <Result>(request: CurrentRequest, work: () => Result): Result =>
  current.run(request, work)

/** Notes that a part of the current request was rejected. */
export const noteRefusal = (part: RefusedPart, code: ErrorCode, count?: number): void =>
  currentRequest()?.note(part, code, count)

const ID = /^[\w.:/+=@-]{1,128}$/
const TRACE_PARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/

/**
 * Returns the id under which a caller knows its request: `x-request-id`, else the trace of `traceparent`, else a new
 * one. An id that could not stand in a log as it is counts as none.
 */
export const requestIdOf = (headers: Headers): string => {
  const given = headers.get('x-request-id') ?? ''
  if (ID.test(given)) return given
  const [, trace] = TRACE_PARENT.exec(headers.get('traceparent') ?? '') ?? []
  return trace ?? randomUUID()
}
