const SIGNALS = ['SIGTERM', 'SIGINT'] as const
export type StopSignal = (typeof SIGNALS)[number]

export const STOPPED = new Error('it was told to stop')

/**
 * What tells a process to stop: signals, and for a worker the process that started it. A signal to the whole group
 * reaches a worker both ways, and counts once.
 */
export class Stops {
  readonly #controller = new AbortController()
  readonly #waiting: [level: number, resolve: (signal: StopSignal) => void][] = []
  #direct = 0
  #level = 0
  #signal: StopSignal = 'SIGTERM'

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#heard)
  }

  /** Aborted at the first stop. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Resolves once it was told that many times. */
  told(times: number): Promise<StopSignal> {
    if (this.#level >= times) return Promise.resolve(this.#signal)
    return new Promise((resolve) => this.#waiting.push([times, resolve]))
  }

  tell(level: number, signal: StopSignal): void {
    if (level <= this.#level) return
    this.#level = level
    this.#signal = signal
    this.#controller.abort(STOPPED)
    for (const [times, resolve] of this.#waiting) if (times <= level) resolve(signal)
  }

  /** Leaves signals to others. */
  close(): void {
    for (const signal of SIGNALS) process.off(signal, this.#heard)
  }

  readonly #heard = (signal: StopSignal): void => {
    this.#direct++
    this.tell(this.#direct, signal)
    // A third one ends the process at once.
    if (this.#direct === 2) this.close()
  }
}
