import type { Context } from '../context.js'
import type { Endings } from './endings.js'
import { observeGenerator } from './generator.js'
import { type AnyGenerator, isGenerator, kindOf } from './kind.js'
import { observeThenable } from './thenable.js'

/**
 * Reports the end of a result: at once, when its promise settles, or when its generator ends. Returns it, or a
 * replacement.
 */
export const observeResult = (context: Context, result: object, endings: Endings): unknown => {
  const kind = kindOf(result)
  if (kind === 'promise') return observePromise(context, result as Promise<unknown>, endings)
  if (kind === 'thenable')
    return observeThenable(context, result as PromiseLike<unknown>, endings, { answer, value })
  if (kind === 'generator') return observeGenerator(context, result as AnyGenerator, endings)
  void endings.done(result)
  return result
}

/** Observes the result of a promise's method, which may be the promise that is awaited. */
const answer = (context: Context, given: unknown, endings: Endings): unknown => {
  if (typeof given !== 'object' || given === null) return given
  const kind = kindOf(given)
  return kind === 'promise' || kind === 'thenable' ? observeResult(context, given, endings) : given
}

/** Observes the value of a promise. */
const value = (context: Context, given: unknown, endings: Endings): Promise<void> | undefined => {
  if (!isGenerator(given)) return endings.done(given)
  observeGenerator(context, given, endings)
  return undefined
}

/** Returns true for a result that arrives later, or bit by bit. */
export const isFollowed = (result: object): boolean => kindOf(result) !== 'value'

const observePromise = (
  context: Context,
  promise: Promise<unknown>,
  endings: Endings,
): Promise<unknown> =>
  promise.then(
    (given) => {
      const ready = value(context, given, endings)
      return ready === undefined ? given : ready.then(() => given)
    },
    (error) => {
      endings.failed(error)
      throw error
    },
  )
