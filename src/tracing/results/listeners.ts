import type { Context } from '../context.js'

/** Hears of the end of a result, at most once. */
interface Listener {
  /** Called once it has heard of the end, so that nothing keeps its step. */
  onOver: () => void
}

/**
 * Those who listen to one object: it is patched once, however many steps return it. One that an application keeps, such
 * as a connection that is made once, would get a layer with each call.
 */
export class Listeners<One extends Listener> {
  /** The context in which the object's methods run: that of the first one who listens. */
  context: Context
  readonly #open = new Map<One, number>()
  /** The number of those who have listened so far. */
  made = 0

  constructor(context: Context) {
    this.context = context
  }

  get isEmpty(): boolean {
    return this.#open.size === 0
  }

  add(context: Context, listener: One): void {
    if (this.isEmpty) this.context = context
    this.#open.set(listener, ++this.made)
    listener.onOver = () => this.#open.delete(listener)
  }

  /** Calls a function with those who listen, up to a number: who came later has not asked yet. */
  tell(each: (listener: One) => void, upTo = this.made): void {
    // Those who are told may lead to new ones.
    for (const [listener, number] of [...this.#open]) if (number <= upTo) each(listener)
  }
}
