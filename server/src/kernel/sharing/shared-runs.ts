/**
 * Work that callers share by its key. Each caller gets a run that begins after its call, and so sees all that was there by
 * then: one that is under way is not joined, only the next one.
 */
export class SharedRuns<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #next = new Map<string, Promise<Result>>()

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const next = this.#next.get(key)
    if (next !== undefined) return next
    const running = this.#running.get(key)
    if (running === undefined) return this.#start(key, work)
    const begin = () => {
      this.#next.delete(key)
      return this.#start(key, work)
    }
    const waiting = running.then(begin, begin)
    this.#next.set(key, waiting)
    return waiting
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = work().finally(() => {
      this.#running.delete(key)
    })
    this.#running.set(key, running)
    return running
  }
}
