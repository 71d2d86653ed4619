import { type Context, withContext } from '../context.js'
import type { Watch } from './bound.js'
import type { Endings } from './endings.js'
import type { AnyGenerator } from './kind.js'

export type Turn = IteratorResult<unknown>

/** Collects yielded values, as far as they are kept, and reports the end once, in whichever way it comes. */
export class Yielded {
  readonly #endings: Endings
  readonly #watch: Watch | undefined
  #values: unknown[] = []
  #left: number
  #isOver = false

  /** `mayStay`: may stay unread, which must not keep its step open for ever. */
  constructor(endings: Endings, mayStay = false) {
    this.#endings = endings
    this.#left = endings.most
    endings.begun(() => this.#soFar())
    if (mayStay) this.#watch = endings.watch(() => this.end())
  }

  note(turn: Turn): void {
    if (turn.done) this.end(turn.value)
    else this.keep(turn.value)
  }

  keep(value: unknown): void {
    this.#watch?.touch()
    if (this.#left <= 0) return
    this.#left -= typeof value === 'string' ? value.length + 1 : 64
    this.#values.push(value)
  }

  end(returned?: unknown): void {
    if (!this.#ends()) return
    const output = this.#soFar()
    void this.#endings.done(
      returned === undefined
        ? (output ?? [])
        : output === undefined
          ? returned
          : { output, returned },
    )
    this.#values = []
  }

  fail(error: unknown): void {
    if (!this.#ends()) return
    this.#endings.failed(error, this.#soFar())
    this.#values = []
  }

  #ends(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#watch?.stop()
    return true
  }

  /** Joins pieces of a text; other values stay a list. */
  #soFar(): unknown {
    const values = this.#values
    if (values.length === 0) return undefined
    return values.every((value) => typeof value === 'string') ? values.join('') : [...values]
  }
}

/** Runs an iterator's turn inside a context. */
export const turnIn = (
  context: Context,
  yielded: Yielded,
  turn: () => Turn | PromiseLike<Turn>,
): Turn | PromiseLike<Turn> => {
  try {
    const result = withContext(context, turn)
    if (!('then' in result)) {
      yielded.note(result)
      return result
    }
    return result.then(
      (settled) => {
        yielded.note(settled)
        return settled
      },
      (error) => {
        yielded.fail(error)
        throw error
      },
    )
  } catch (error) {
    yielded.fail(error)
    throw error
  }
}

/**
 * Observes a generator until its end. It would run in the context of its reader: here each turn runs in the context of
 * its step, and the work ends with the last one.
 */
export const observeGenerator = <Result extends AnyGenerator>(
  context: Context,
  generator: Result,
  endings: Endings,
): Result => {
  const yielded = new Yielded(endings)
  if (!Object.isExtensible(generator)) {
    yielded.end()
    return generator
  }
  for (const name of ['next', 'return', 'throw'] as const) {
    const original = generator[name].bind(generator) as (
      ...values: unknown[]
    ) => Turn | PromiseLike<Turn>
    Object.defineProperty(generator, name, {
      configurable: true,
      writable: true,
      value: (...values: unknown[]) => turnIn(context, yielded, () => original(...values)),
    })
  }
  return generator
}
