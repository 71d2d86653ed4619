/**
 * PostgreSQL's text can hold neither U+0000 nor a lone surrogate; JavaScript's strings and JSON can. Both are written
 * with the noncharacter U+FDD0 as an escape, and so come back exactly as they were sent.
 */
const ESCAPE = '\uFDD0'
const UNSAFE = /[\0\uD800-\uDFFF\uFDD0]/
const UNSAFE_UNIT =
  /\0|\uFDD0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g
/**
 * In JSON.stringify's output: an escaped NUL, an escaped surrogate (always a lone one, as pairs are not escaped), or
 * the escape itself.
 */
const UNSAFE_JSON = /\\u(?:0000|d[89a-f])|\uFDD0/

export const encodeText = (text: string): string =>
  UNSAFE.test(text)
    ? text.replace(UNSAFE_UNIT, (unit) => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, '0'))
    : text

export const decodeText = (text: string): string =>
  text.includes(ESCAPE)
    ? text.replace(/\uFDD0([0-9a-f]{4})/g, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      )
    : text

/** Encodes a JSON value as text that PostgreSQL takes; `undefined` becomes null. */
export const encodeJson = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'null'
  return UNSAFE_JSON.test(text) ? JSON.stringify(mapStrings(value, encodeText)) : text
}

export const decodeJson = (text: string): unknown =>
  text.includes(ESCAPE) ? mapStrings(JSON.parse(text), decodeText) : JSON.parse(text)

const mapStrings = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change))
  if (typeof value !== 'object' || value === null) return value
  // Object.fromEntries defines its keys, so that a key named __proto__ stays a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]),
  )
}
