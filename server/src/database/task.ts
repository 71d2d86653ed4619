import { AsyncLocalStorage } from 'node:async_hooks'

interface TaskOptions {
  key?: string | undefined
  totalMs?: number
}

/** Work that uses the database by several statements, some of them at once. */
export class Task {
  /** The key for which the database is used; undefined for the service's own work. */
  readonly key: string | undefined
  readonly #outer: Task | undefined
  readonly #totalMs: number
  #usedMs = 0
  #running = 0
  #since = 0

  constructor(
    outer: Task | undefined,
    { totalMs = Number.POSITIVE_INFINITY, ...own }: TaskOptions,
  ) {
    this.key = own.key ?? outer?.key
    this.#totalMs = totalMs
    this.#outer = outer
  }

  get leftMs(): number {
    const usedMs = this.#usedMs + (this.#running > 0 ? performance.now() - this.#since : 0)
    return Math.min(this.#totalMs - usedMs, this.#outer?.leftMs ?? Number.POSITIVE_INFINITY)
  }

  /** Counts time until the returned function is called. */
  begin(): () => void {
    if (this.#running++ === 0) this.#since = performance.now()
    const end = this.#outer?.begin()
    return () => {
      if (--this.#running === 0) this.#usedMs += performance.now() - this.#since
      end?.()
    }
  }
}

const current = new AsyncLocalStorage<Task | undefined>()

/** Returns the task that runs here, if any. */
export const currentTask = (): Task | undefined => current.getStore()

const run = <Result>(options: TaskOptions, work: () => Result): Result =>
  current.run(new Task(currentTask(), options), work)

/**
 * Runs a function that may use the database for so long in total, waiting for it included, and within an outer limit if
 * there is one. Beyond that it fails as `UNAVAILABLE`. Time spent on anything else does not count: an upload may take
 * an hour.
 */
export const withTimeLimit = <Result>(totalMs: number, work: () => Result): Result =>
  run({ totalMs }, work)

/** Runs a function for a key, which shares the connections to the database with the others. */
export const onBehalfOf = <Result>(key: string, work: () => Result): Result => run({ key }, work)

/** Runs a function without the limits of the request that happened to start it. */
export const withoutTimeLimit = <Result>(work: () => Result): Result => current.run(undefined, work)
