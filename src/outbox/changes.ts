/** Tells those who wait that a request has come to something. */
export class Changes {
  readonly #listeners = new Set<(failed: boolean) => void>()

  tell(failed: boolean): void {
    for (const listener of [...this.#listeners]) listener(failed)
  }

  /** Resolves at the next change, or after a time; whether it failed. Holds the process open meanwhile. */
  next(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const listener = (failed: boolean) => {
        clearTimeout(timer)
        this.#listeners.delete(listener)
        resolve(failed)
      }
      const timer = setTimeout(() => listener(true), timeoutMs)
      this.#listeners.add(listener)
    })
  }
}
