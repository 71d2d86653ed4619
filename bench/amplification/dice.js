/** Random-looking numbers that follow from a seed (mulberry32), so that a run can be repeated. */
export class Dice {
  #state

  constructor(seed) {
    this.#state = seed >>> 0
  }

  /** Returns a number from 0 up to, and without, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(end) {
    return Math.floor(this.next() * end)
  }

  chance(share) {
    return this.next() < share
  }

  pick(items) {
    return items[this.below(items.length)]
  }

  /** Returns a number between two others, each order of magnitude equally likely. */
  magnitude(least, most) {
    return Math.round(least * (most / least) ** this.next())
  }
}

/** Returns the seed of one case of a run, so that it can be repeated without those before it. */
export const seedOf = (seed, index) =>
  (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + index * 0x27d4eb2f) >>> 0
