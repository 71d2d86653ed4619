import { invalid, show } from '../kernel/errors.js'
import { parseInstant } from '../kernel/instant.js'
import type { Order } from './listing.js'

/** The position of a row in a list: its sort key, as text, and its id. */
export interface Position {
  key: string
  id: string
}

/** A list in one of its orders. */
export interface Ordered {
  list: string
  column: string
}

export const showCursor = ({ list, column }: Ordered, { key, id }: Position): string =>
  Buffer.from(JSON.stringify([column, key, id, list])).toString('base64url')

/** Four characters encode three bytes of a sort key, which may be a text of up to a megabyte, and an id. */
const MAX_LENGTH = 4_000_000

export const parseCursor = (
  argument: string,
  cursor: string | null | undefined,
  { list, column }: Ordered,
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
    (parts.length !== 3 && parts.length !== 4) ||
    !parts.every((part) => typeof part === 'string')
  )
    throw wrong
  // Cursors of earlier versions, which clients may still hold, do not tell their list.
  const [of, key, id, from = list] = parts as [string, string, string, string?]
  if (from !== list)
    throw invalid(`${argument}: expected a cursor of ${list}, got one of ${show(from)}`)
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
