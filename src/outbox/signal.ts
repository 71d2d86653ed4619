import type { Host } from './host.js'

/** Wakes those who wait for something to change. */
export class Signal {
  readonly #host: Host
  readonly #listeners = new Set<() => void>()

  constructor(host: Host) {
    this.#host = host
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** Resolves at the next change, or after a time. Keeps the process alive meanwhile. */
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
