/** The longest excerpt, in UTF-16 code units. */
export const MAX_EXCERPT = 120

/** No character before this one joins the one before it. */
const FIRST_JOINING = 0x300
/** A cut that would lose more than this is made within a grapheme: some have a thousand marks. */
const MAX_GRAPHEME = 40

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Shortens a text of one line, at the border of a grapheme, and marks the cut by an ellipsis. */
export const shorten = (text: string, isCut = false): string => {
  if (!isCut && text.length <= MAX_EXCERPT) return text
  if (text.length < MAX_EXCERPT) return `${text}…`
  return `${text.slice(0, borderBefore(text, MAX_EXCERPT - 1)).trimEnd()}…`
}

const borderBefore = (text: string, place: number): number => {
  if (text.charCodeAt(place) < FIRST_JOINING && text.charCodeAt(place - 1) < FIRST_JOINING)
    return place
  // The few characters around the place: what a segment before them is like makes no difference to where this one ends.
  const start = graphemes.segment(text.slice(0, place + MAX_GRAPHEME)).containing(place)?.index
  if (start !== undefined && place - start <= MAX_GRAPHEME) return start
  return isPair(text, place) ? place - 1 : place
}

/** Returns up to a number of code units, and never a half of a surrogate pair. */
export const beginningOf = (text: string, most: number): string =>
  text.slice(0, isPair(text, most) ? most - 1 : most)

/** Returns true when a place is in the middle of a surrogate pair. */
const isPair = (text: string, place: number): boolean =>
  isLow(text.charCodeAt(place)) && isHigh(text.charCodeAt(place - 1))

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000
