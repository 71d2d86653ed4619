import { type Context, withContext } from '../context.js'
import type { Watch } from './bound.js'
import type { Endings } from './endings.js'
import type { AnyGenerator } from './kind.js'
import { Listeners } from './listeners.js'

export type Turn = IteratorResult<unknown>

/** Collects yielded values, as far as they are kept, and reports the end once, in whichever way it comes. */
export class Yielded {
  readonly endings: Endings
  onOver = () => {}
  readonly #watch: Watch | undefined
  #values: unknown[] = []
  #left: number
  #isOver = false

  /** `mayStay`: may stay unread, which must not keep its step open for ever. */
  constructor(endings: Endings, mayStay = false) {
    this.endings = endings
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
    void this.endings.done(
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
    this.endings.failed(error, this.#soFar())
    this.#values = []
  }

  #ends(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#watch?.stop()
    this.onOver()
    return true
  }

  /** Joins pieces of a text; other values stay a list. */
  #soFar(): unknown {
    const values = this.#values
    if (values.length === 0) return undefined
    return values.every((value) => typeof value === 'string') ? values.join('') : [...values]
  }
}

/** Runs an iterator's turn inside the context of those who listen, and tells them of it. */
export const turnIn = (
  readers: Listeners<Yielded>,
  turn: () => Turn | PromiseLike<Turn>,
): Turn | PromiseLike<Turn> => {
  const noted = (settled: Turn): Turn => {
    readers.tell((yielded) => yielded.note(settled))
    return settled
  }
  const failed = (error: unknown): never => {
    readers.tell((yielded) => yielded.fail(error))
    throw error
  }
  try {
    const result = withContext(readers.context, turn)
    return 'then' in result ? result.then(noted, failed) : noted(result)
  } catch (error) {
    return failed(error)
  }
}

const followed = new WeakMap<object, Listeners<Yielded>>()

/**
 * Observes a generator until its end. It would run in the context of its reader: here each turn runs in the context of
 * its step, and the work ends with the last one.
 */
export const observeGenerator = <Result extends AnyGenerator>(
  context: Context,
  generator: Result,
  endings: Endings,
): Result => {
  // An iterator that calls itself a generator may lack methods: without the first, nobody can say that it was left.
  const yielded = new Yielded(endings, generator.return === undefined)
  const known = followed.get(generator)
  if (known === undefined && !Object.isExtensible(generator)) {
    yielded.end()
    return generator
  }
  const readers = known ?? new Listeners<Yielded>(context)
  readers.add(context, yielded)
  if (known !== undefined) return generator
  followed.set(generator, readers)
  for (const name of ['next', 'return', 'throw'] as const) {
    const original = generator[name] as
      | ((...values: unknown[]) => Turn | PromiseLike<Turn>)
      | undefined
    if (original === undefined) continue
    Object.defineProperty(generator, name, {
      configurable: true,
      writable: true,
      value: (...values: unknown[]) =>
        turnIn(readers, () => original.apply(generator, values as never)),
    })
  }
  return generator
}
