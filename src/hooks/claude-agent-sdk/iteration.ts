import type { Host } from '../shared/host.js'
import type { Session } from './session.js'

type Next = IteratorResult<unknown, void>

/**
 * Notes the messages of a query as the application reads them. The query stays the same object, with methods of its own
 * in place of those that pass messages on.
 */
export const followMessages = (
  messages: AsyncGenerator<unknown, void>,
  session: Session,
  host: Host,
): void => {
  const note = (next: Next): Next => {
    host.guarded(() => (next.done === true ? session.over() : session.message(next.value)))
    return next
  }
  const fail = (error: unknown): never => {
    host.guarded(() => session.failed(error))
    throw error
  }
  const { next, return: leave, throw: interrupt } = messages
  for (const method of [next, leave, interrupt])
    if (typeof method !== 'function') throw new TypeError('a query is no generator any more')
  const methods: Record<PropertyKey, unknown> = {
    next: (...values: []) => next.apply(messages, values).then(note, fail),
    return: (value: undefined) => {
      host.guarded(() => session.left())
      return leave.call(messages, value)
    },
    throw: (error: unknown) => {
      host.guarded(() => session.failed(error))
      return interrupt.call(messages, error)
    },
    [Symbol.asyncIterator]: () => messages,
  }
  const { close } = messages as { close?: unknown }
  if (typeof close === 'function')
    methods.close = (...values: unknown[]): unknown => {
      host.guarded(() => session.left())
      return close.apply(messages, values)
    }
  for (const name of Reflect.ownKeys(methods))
    Object.defineProperty(messages, name, {
      configurable: true,
      writable: true,
      value: methods[name as string],
    })
}
