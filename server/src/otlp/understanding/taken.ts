import { isDeepStrictEqual } from 'node:util'
import { endOfText } from '../../kernel/json-text.js'
import { structure } from './attributes.js'

/** The attributes that fields of the step hold in whole, so that the metadata need not repeat them. */
export class Taken {
  /** The names of the attributes. */
  readonly names = new Set<string>()
  /** The field of each attribute, or of each common beginning of attributes. */
  readonly fields: Record<string, string> = {}

  /** Notes that a field holds an attribute. */
  add(name: string, field: string): void {
    this.names.add(name)
    this.fields[name] = field
  }

  /** Notes that a field holds the attributes whose names begin alike. */
  addAll(beginning: string, names: Iterable<string>, field: string): void {
    for (const name of names) this.names.add(name)
    this.fields[beginning] = field
  }
}

/** Returns true when an attribute is a text of JSON that says this value and nothing else. */
export const isTextOf = (text: unknown, value: unknown): boolean => {
  if (typeof text !== 'string') return false
  const parsed = structure(text)
  return typeof parsed === 'object' && isDeepStrictEqual(parsed, value) && holdsAll(text, parsed)
}

/**
 * Returns true when a value has all that its JSON says. The text may have blanks and escapes of its own; but of names
 * that come twice a value has only the last, and of long numbers only the first digits.
 */
export const holdsAll = (text: string, value: unknown): boolean => {
  const own = JSON.stringify(value)
  if (own === text) return true
  const names = namesOf(text)
  return names !== undefined && names === namesOf(own)
}

const QUOTE = 0x22
const COLON = 0x3a
const NUMBER = /-?\d[\d.eE+-]*/y

/** Counts the names in JSON; undefined when it has a number that a double cannot hold. */
const namesOf = (text: string): number | undefined => {
  let names = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(text, at)
      if (at < 0) return undefined
    } else if (code === COLON) names++
    else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      NUMBER.lastIndex = at
      const number = NUMBER.exec(text)?.[0] ?? ''
      if (!isExact(number)) return undefined
      at += Math.max(number.length, 1) - 1
    }
  }
  return names
}

/** Digits that every double keeps. */
const SAFE_DIGITS = 15
const LARGEST = 1e300
const SMALLEST = 1e-300

const isExact = (text: string): boolean => {
  const number = Number(text)
  if (String(number) === text) return true
  const size = Math.abs(number)
  const digits = text.replace(/[eE].*$/, '').replace(/\D/g, '')
  if (/^0+$/.test(digits)) return !text.startsWith('-')
  return digits.replace(/^0+/, '').length <= SAFE_DIGITS && size < LARGEST && size > SMALLEST
}
