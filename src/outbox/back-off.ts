const FIRST_MS = 200
const LONGEST_MS = 5000

/** How long to wait before the next attempt. Each failure doubles it; chance keeps many clients from coming together. */
export class BackOff {
  #failures = 0

  /** Milliseconds to wait; at least as long as the service asked for. */
  next(askedMs = 0): number {
    const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    return Math.max(askedMs, most * (0.5 + Math.random() / 2))
  }

  get failures(): number {
    return this.#failures
  }

  reset(): void {
    this.#failures = 0
  }
}
