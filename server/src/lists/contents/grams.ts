/** The number of hashes that a signature tells apart. */
export const BUCKETS = 65_536
/** Units of UTF-16 of a needle that are looked up; parts of a text overlap by as many. */
const NEEDLE_UNITS = 128
/** Hashes that are looked up at most: more lead to hardly fewer blocks. */
const MAX_LOOKED_UP = 18
/** Scripts with a character for a syllable or word begin here, and so do emoji as pairs of units. */
const FIRST_WIDE = 0x2e80

const mixed = (value: number): number => {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return hash ^ (hash >>> 15)
}

const three = (a: number, b: number, c: number): number =>
  mixed(Math.imul(a, 0x9e3779b1) + Math.imul(b, 0x85ebca77) + Math.imul(c, 0xc2b2ae3d))

const six = (first: number, second: number): number =>
  mixed(Math.imul(first, 0x27d4eb2f) + Math.imul(second, 0x165667b1)) & 0xffff

const two = (a: number, b: number): number => mixed(Math.imul(a, 0x7feb352d) + b)

/** Hashes after which a block is full: with more, too many blocks would have all hashes of a text by chance. */
const FULL = 17_000
/** Units of a text that are added at once, so that a large one fills several blocks. */
const PART = 8192

/** Yields the parts of a text. They overlap, so that a text that is searched is within one of them. */
export function* partsOf(text: string): Generator<string> {
  for (let from = 0; from === 0 || from < text.length; from += PART)
    yield text.slice(from, from + PART + NEEDLE_UNITS)
}

/** A set of hashes, and their number. */
export class Signature {
  readonly has = new Uint8Array(BUCKETS)
  size = 0

  get isFull(): boolean {
    return this.size >= FULL
  }

  #add(bucket: number): void {
    if (this.has[bucket] === 1) return
    this.has[bucket] = 1
    this.size++
  }

  /**
   * Adds a text by its pieces of three units, by two hashes each, of six by one, and of two units of scripts in which two
   * are a word.
   */
  add(text: string): void {
    // The hashes of the last pieces of three: a piece of six is two of them.
    let [h1, h2, h3] = [0, 0, 0]
    let [a, b] = [0, 0]
    for (let index = 0; index < text.length; index++) {
      const c = text.charCodeAt(index)
      if (b >= FIRST_WIDE && c >= FIRST_WIDE) this.#addBoth(two(b, c))
      if (index >= 2) {
        const hash = three(a, b, c)
        this.#addBoth(hash)
        if (index >= 5) this.#add(six(h3, hash))
        h3 = h2
        h2 = h1
        h1 = hash
      }
      a = b
      b = c
    }
  }

  #addBoth(hash: number): void {
    this.#add(hash & 0xffff)
    this.#add(hash >>> 16)
  }
}

/**
 * Returns hashes that every text has that contains all of some pieces: at most eighteen, of the longest pieces first. None
 * if they are too short to be looked up.
 */
export const bucketsOf = (pieces: readonly string[]): number[] => {
  const long: number[] = []
  const short: number[] = []
  let left = NEEDLE_UNITS
  for (const whole of pieces) {
    const piece = whole.slice(0, left)
    left -= piece.length
    const hashes: number[] = []
    for (let index = 0; index + 2 < piece.length; index++)
      hashes.push(
        three(piece.charCodeAt(index), piece.charCodeAt(index + 1), piece.charCodeAt(index + 2)),
      )
    for (const [index, hash] of hashes.entries()) {
      short.push(hash & 0xffff, hash >>> 16)
      const next = hashes[index + 3]
      if (next !== undefined) long.push(six(hash, next))
    }
    for (let index = 0; index + 1 < piece.length; index++) {
      const [a, b] = [piece.charCodeAt(index), piece.charCodeAt(index + 1)]
      if (a < FIRST_WIDE || b < FIRST_WIDE) continue
      const hash = two(a, b)
      short.push(hash & 0xffff, hash >>> 16)
    }
  }
  const some = spread([...new Set(long)], MAX_LOOKED_UP)
  return [...new Set([...some, ...spread([...new Set(short)], MAX_LOOKED_UP - some.length)])]
}

/** Returns up to a number of items from all of a list. */
const spread = <Item>(items: readonly Item[], most: number): Item[] =>
  items.length <= most
    ? [...items]
    : Array.from(
        { length: most },
        (_, index) => items[Math.floor((index * items.length) / most)] as Item,
      )
