/** Places of steps: a byte for each step of the outline, as a million members of a Set take tens of megabytes. */
export class Places {
  readonly #isMember: Uint8Array
  #size = 0

  constructor(count: number) {
    this.#isMember = new Uint8Array(count)
  }

  get size(): number {
    return this.#size
  }

  has(place: number): boolean {
    return this.#isMember[place] === 1
  }

  add(place: number): void {
    if (this.has(place)) return
    this.#isMember[place] = 1
    this.#size++
  }

  /** Returns the next member after a place, or the last one before it; -1 when there is none. */
  next(place: number, step: 1 | -1 = 1): number {
    return step > 0
      ? this.#isMember.indexOf(1, place + 1)
      : place <= 0
        ? -1
        : this.#isMember.lastIndexOf(1, place - 1)
  }
}
