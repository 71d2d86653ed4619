import { invalid, show } from '../kernel/errors.js'
import { parseInstant } from '../kernel/instant.js'
import type { Order } from './listing.js'

/** The position of a row in a list: its sort key, as text, and its id. */
export interface Position {
  key: string
  id: string
}

export const showCursor = (column: string, { key, id }: Position): string =>
  Buffer.from(JSON.stringify([column, key, id])).toString('base64url')

/** Four characters encode three bytes of a sort key, which may be a text of up to a megabyte, and an id. */
const MAX_LENGTH = 4_000_000

export const parseCursor = (
  argument: string,
  cursor: string | null | undefined,
  column: string,
  { type }: Pick<Order, 'type'>,
): Position | undefined => {
  if (cursor == null || cursor === '') return undefined
  const wrong = invalid(`${argument}: expected a cursor of this list, got ${show(cursor)}`)
  if (cursor.length > MAX_LENGTH) throw wrong
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw wrong
  }
  if (
    !Array.isArray(parts) ||
    parts.length !== 3 ||
    !parts.every((part) => typeof part === 'string')
  )
    throw wrong
  const [of, key, id] = parts as [string, string, string]
  if (of !== column)
    throw invalid(
      `${argument}: expected a cursor of a list ordered by ${column}, got one ordered by ${show(of)}`,
    )
  if (type === 'float8' && !isFloat(key)) throw wrong
  if (type !== 'timestamptz') return { key, id }
  try {
    return { key: parseInstant(argument, key), id }
  } catch {
    throw wrong
  }
}

/** Returns true when PostgreSQL reads a text as a double: it refuses over- and underflow. */
const isFloat = (text: string): boolean =>
  /^-?Infinity$/.test(text) ||
  (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) &&
    Number.isFinite(Number(text)) &&
    (Number(text) !== 0 || /^[-0.]+$/.test(text)))
