import { type RawBuilder, sql } from 'kysely'
import { encodeJson, encodeText } from './text.js'

/** A parameter that is text already escaped for PostgreSQL, such as that of JSON, and must not be escaped again. */
export class EscapedText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Returns a value for a `json` column; null and undefined become SQL's null. */
export const json = (value: unknown): RawBuilder<unknown> =>
  value === null || value === undefined
    ? sql`NULL::json`
    : sql`${new EscapedText(encodeJson(value))}::json`

/** Returns a parameter for the driver, with texts escaped for PostgreSQL wherever they come from. */
export const encodeParameter = (value: unknown): unknown => {
  if (typeof value === 'string') return encodeText(value)
  if (value instanceof EscapedText) return value.text
  if (Array.isArray(value)) return value.map(encodeParameter)
  return value
}
