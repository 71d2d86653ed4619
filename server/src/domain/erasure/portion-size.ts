const MAX = 500

interface Pace {
  /** The number of rows of the first portion. */
  most: number
  /** The number of rows that a portion has at least: what a transaction costs without any is worth some of them. */
  least: number
  /** Portions that take less may grow; those that take more than the other time shrink. */
  shortMs: number
  longMs: number
}

/** The number of rows of a portion: as many as a transaction deletes in a fraction of a second, however large they are. */
export class PortionSize {
  readonly #pace: Pace
  #most: number

  constructor(pace: Pace = { most: 100, least: 10, shortMs: 50, longMs: 200 }) {
    this.#pace = pace
    this.#most = pace.most
  }

  get most(): number {
    return this.#most
  }

  /** Adapts the size to the time that a portion took. */
  took(ms: number): void {
    if (ms > this.#pace.longMs) this.shrink()
    else if (ms < this.#pace.shortMs) this.#most = Math.min(MAX, this.#most * 2)
  }

  shrink(): void {
    this.#most = Math.max(this.#pace.least, Math.floor(this.#most / 2))
  }
}
