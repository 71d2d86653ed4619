import { randomInt } from 'node:crypto'

/** Shorter texts cannot have too many objects. */
const SMALL = 500_000
/** A text may have an object for each twentieth character, or a list for each fifth. */
const OBJECT_WEIGHT = 4
const CHARACTERS_A_WEIGHT = 5
const MAX_WEIGHT = 4_000_000
/**
 * Limit of distinct names in any text; reading one takes a microsecond and a half. A large text may have one for each
 * sixtieth character.
 */
const MAX_NAMES = 120_000
const CHARACTERS_A_NAME = 60

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/**
 * Returns true when JSON has so many objects, lists and names that they would take many times the memory of their text,
 * or hold the event loop for long: an empty object of two characters takes 56 bytes, and one with a new name 200 and a
 * microsecond. A repeated name costs next to nothing.
 */
export const isTooDense = (text: string): boolean => {
  const { length } = text
  if (length <= SMALL) return false
  const most = Math.min(MAX_WEIGHT, length / CHARACTERS_A_WEIGHT)
  const isNew = textsOf(length)
  const mostNames = Math.max(MAX_NAMES, length / CHARACTERS_A_NAME)
  let weight = 0
  let names = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const start = at
      at = endOfText(text, at)
      if (at < 0) return false
      if (!isName(text, at) || !isNew(text, start, at)) continue
      if (++names > mostNames) return true
      continue
    }
    if (code === OPEN_BRACE) weight += OBJECT_WEIGHT
    else if (code === OPEN_BRACKET) weight++
    else continue
    if (weight > most) return true
  }
  return false
}

/** Returns the end of a text that begins at a quote; -1 when it does not end. */
export const endOfText = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((at - before) % 2 === 1) return at
  }
  return -1
}

/** Returns true when a text that ends at this index is the name of a member. */
const isName = (text: string, end: number): boolean => {
  let after = end + 1
  while (text.charCodeAt(after) <= SPACE) after++
  return text.charCodeAt(after) === COLON
}

/** Random, so that nobody can choose names that collide. */
const FACTOR = randomInt(2 ** 30, 2 ** 31) | 1
const MIN_BITS = 16

/** Returns a function that tells if a text appears for the first time. A few new texts may count as repeated. */
const textsOf = (characters: number) => {
  const bits = Math.max(MIN_BITS, Math.ceil(Math.log2(characters)) - 2)
  const seen = new Uint8Array(2 ** (bits - 3))
  return (text: string, start: number, end: number): boolean => {
    let hash = end - start
    for (let at = start + 1; at < end; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR)
      hash ^= hash >>> 15
    }
    const bit = Math.imul(hash, FACTOR) >>> (32 - bits)
    const byte = bit >>> 3
    const mask = 1 << (bit & 7)
    if (((seen[byte] as number) & mask) !== 0) return false
    seen[byte] = (seen[byte] as number) | mask
    return true
  }
}
