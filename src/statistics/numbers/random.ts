/** Returns a generator of whole numbers from 0 to 4,294,967,295: the same ones for the same seed. */
export const randomBits = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** Returns a generator of numbers from 0 up to 1: the same ones for the same seed. */
export const random = (seed: number): (() => number) => {
  const next = randomBits(seed)
  return () => next() / 4_294_967_296
}

/** The seed where none is given, so that a page always shows the same interval. */
export const SEED = 0x5eed
