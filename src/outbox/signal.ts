import type { Host } from './host.js'

/** Wakes callers who wait for a change. */
export class Signal {
  readonly #host: Host
  readonly #listeners = new Set<() => void>()

  constructor(host: Host) {
    this.#host = host
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Resolves at the next change, or after a time. Keeps the process alive until then. */
  wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        cancel()
        this.#listeners.delete(listener)
        resolve()
      }
      const cancel = this.#host.timer(listener, timeoutMs, true)
      this.#listeners.add(listener)
    })
  }
}
