/** Tasks that run at once, up to a number. A slow one takes one place, and delays no others. */
export class Pool {
  readonly #most: number
  readonly #report: (error: unknown) => void
  readonly #running = new Set<Promise<void>>()

  constructor(most: number, report: (error: unknown) => void) {
    this.#most = most
    this.#report = report
  }

  get free(): number {
    return this.#most - this.#running.size
  }

  start(work: () => Promise<void>): void {
    const task = work()
      .catch(this.#report)
      .then(() => {
        this.#running.delete(task)
      })
    this.#running.add(task)
  }

  /** Resolves once no task runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }
}
