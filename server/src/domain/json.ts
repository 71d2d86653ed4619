/** Texts that are too short for their objects to be many. */
const SMALL = 500_000
/** A text may have an object for each twentieth character, or a list for each fifth. */
const OBJECT_WEIGHT = 4
const CHARACTERS_A_WEIGHT = 5
const MAX_WEIGHT = 4_000_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

/**
 * Whether JSON consists of so many objects and lists that they would take many times the memory of their text: an empty
 * object of two characters takes 56 bytes, and one with a name of its own 200 and a microsecond.
 */
export const isTooDense = (text: string): boolean => {
  const { length } = text
  if (length <= SMALL) return false
  const most = Math.min(MAX_WEIGHT, length / CHARACTERS_A_WEIGHT)
  let weight = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(text, at)
      if (at < 0) return false
    } else if (code === OPEN_BRACE) weight += OBJECT_WEIGHT
    else if (code === OPEN_BRACKET) weight++
    else continue
    if (weight > most) return true
  }
  return false
}

/** Where a text ends that begins at a quote; -1 when it does not. */
const endOfText = (text: string, start: number): number => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((at - before) % 2 === 1) return at
  }
  return -1
}
