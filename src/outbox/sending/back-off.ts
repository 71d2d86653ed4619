const FIRST_MS = 200
const MAX_MS = 5000

/** Delays between attempts. Each failure doubles them; chance keeps many clients from retrying together. */
export class BackOff {
  readonly #random: () => number
  #failures = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Returns the milliseconds to wait; at least those that the service asked for. */
  next(askedMs = 0): number {
    const most = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    return Math.max(askedMs, most * (0.5 + this.#random() / 2))
  }

  get failures(): number {
    return this.#failures
  }

  reset(): void {
    this.#failures = 0
  }
}
