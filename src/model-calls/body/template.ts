import type { JoinedOf } from '../apis/api.js'
import { type Json, parsed } from '../json.js'

/** Members of events that no API here reads, and that differ from event to event. */
const UNREAD = ['sequence_number', 'obfuscation', 'created_at', 'p']

/** A place in the text of an event at which others differ: the content of a text, or a number. */
interface Hole {
  name: string
  start: number
  end: number
  isText: boolean
}

/** The text of an event with holes. */
export interface Template {
  /** The texts around the holes: one more than those. */
  parts: string[]
  /** Kinds of the holes. */
  areTexts: boolean[]
  /** The hole whose texts are joined. */
  joined: number
  /** Holes of which the largest number counts. */
  counts: boolean[]
}

/** Returns the end of a text's content; -1 where it has none that JSON allows. */
export const endOfText = (text: string, start: number): number => {
  let hasEscape = false
  for (let place = start; place < text.length; place++) {
    const code = text.charCodeAt(place)
    if (code === QUOTE)
      return hasEscape && parsed(text.slice(start - 1, place + 1)) === undefined ? -1 : place
    if (code < SPACE) return -1
    if (code === BACKSLASH) {
      hasEscape = true
      place++
    }
  }
  return -1
}

const QUOTE = 34
const BACKSLASH = 92
/** Characters before it are in JSON as escapes alone. */
const SPACE = 32

/** Returns the end of a whole number; -1 where there is none. */
export const endOfNumber = (text: string, start: number): number => {
  NUMBER.lastIndex = start
  return NUMBER.test(text) ? NUMBER.lastIndex : -1
}

const NUMBER = /(?:0|[1-9]\d{0,15})/y

/**
 * Makes a template of an event's text; returns undefined where events of that form can't be joined. `read` returns the
 * event of a text: so it is tried with other values, and must have them in the places where they are expected.
 */
export const templateOf = (
  block: string,
  event: Json,
  joinedOf: JoinedOf,
  read: (block: string) => Json | undefined,
): Template | undefined => {
  const { name, counts = {} } = joinedOf(event) ?? {}
  if (name === undefined) return undefined
  const counted = Object.keys(counts).filter((one) => typeof counts[one] === 'number')
  const holes: Hole[] = []
  for (const one of [name, ...UNREAD.filter((other) => other in event), ...counted]) {
    const hole = holeOf(block, one)
    if (hole === undefined) return undefined
    holes.push(hole)
  }
  holes.sort((one, other) => one.start - other.start)
  const parts = holes.map(({ start }, at) => block.slice(holes[at - 1]?.end ?? 0, start))
  parts.push(block.slice(holes.at(-1)?.end))
  const areTexts = holes.map(({ isText }) => isText)
  const joined = holes.findIndex((hole) => hole.name === name)
  // Values that are nowhere in the text, so that one that is found has come through its hole.
  let mark = '1'
  while (block.includes(mark)) mark += '1'
  if (mark.length > MAX_MARK) return undefined
  const tried = read(
    filled(
      parts,
      areTexts.map((_, at) => mark + at),
    ),
  )
  const isSure = holes.every(({ name: one, isText }, at) => {
    const found = tried && joinedOf(tried)
    const value =
      at === joined ? found?.text : counted.includes(one) ? found?.counts?.[one] : tried?.[one]
    return value === (isText ? mark + at : Number(mark + at))
  })
  const isCount = holes.map((hole) => counted.includes(hole.name))
  return isSure ? { parts, areTexts, joined, counts: isCount } : undefined
}

/** Digits of which any number can be told apart from any other. */
const MAX_MARK = 14

const holeOf = (block: string, name: string): Hole | undefined => {
  const key = `"${name}":`
  const found = block.indexOf(key)
  if (found < 0) return undefined
  let start = found + key.length
  if (block[start] === ' ') start++
  const isText = block[start] === '"'
  if (isText) start++
  const end = isText ? endOfText(block, start) : endOfNumber(block, start)
  return end < 0 ? undefined : { name, start, end, isText }
}

/** Returns the text of an event with values in its holes. */
export const filled = (parts: readonly string[], values: readonly string[]): string =>
  parts.reduce((text, part, at) => text + values[at - 1] + part)
