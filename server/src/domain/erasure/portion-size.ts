const MIN = 10
const MAX = 500
/** Portions that take less may grow; those that take more shrink. */
const SHORT_MS = 50
const LONG_MS = 200

/** The number of rows of a portion: as many as a transaction deletes in a fraction of a second, however large they are. */
export class PortionSize {
  #most = 100

  get most(): number {
    return this.#most
  }

  /** Adapts the size to the time that a portion took. */
  took(ms: number): void {
    if (ms > LONG_MS) this.shrink()
    else if (ms < SHORT_MS) this.#most = Math.min(MAX, this.#most * 2)
  }

  shrink(): void {
    this.#most = Math.max(MIN, Math.floor(this.#most / 2))
  }
}
