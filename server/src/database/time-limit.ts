import { AsyncLocalStorage } from 'node:async_hooks'

/** How long the database may take, in all, for something that needs several statements, some of them at once. */
export class TimeLimit {
  /** On whose behalf the database is asked; undefined for the service's own. */
  readonly key: string | undefined
  readonly #outer: TimeLimit | undefined
  readonly #totalMs: number
  #usedMs = 0
  #running = 0
  #since = 0

  constructor(totalMs: number, outer: TimeLimit | undefined, key = outer?.key) {
    this.key = key
    this.#totalMs = totalMs
    this.#outer = outer
  }

  get leftMs(): number {
    const usedMs = this.#usedMs + (this.#running > 0 ? performance.now() - this.#since : 0)
    return Math.min(this.#totalMs - usedMs, this.#outer?.leftMs ?? Number.POSITIVE_INFINITY)
  }

  /** Counts the time until the function that it returns is called. */
  begin(): () => void {
    if (this.#running++ === 0) this.#since = performance.now()
    const end = this.#outer?.begin()
    return () => {
      if (--this.#running === 0) this.#usedMs += performance.now() - this.#since
      end?.()
    }
  }
}

const current = new AsyncLocalStorage<TimeLimit | undefined>()

/** The limit that statements are under here, if any. */
export const timeLimit = (): TimeLimit | undefined => current.getStore()

/**
 * Does something that may use the database for so long in all, waiting for it included, and within a limit that it is under already.
 * What needs more fails as `UNAVAILABLE`. Time spent on anything else does not count: an upload may take an hour.
 */
export const withTimeLimit = <Result>(totalMs: number, work: () => Result): Result =>
  current.run(new TimeLimit(totalMs, timeLimit()), work)

/** Does something for a key, which shares the connections to the database with the others. */
export const onBehalfOf = <Result>(key: string, work: () => Result): Result =>
  current.run(new TimeLimit(Number.POSITIVE_INFINITY, timeLimit(), key), work)

/** Does something for nobody in particular: the limit of the request that happened to start it is not its own. */
export const withoutTimeLimit = <Result>(work: () => Result): Result => current.run(undefined, work)
