import { withoutTimeLimit } from './task.js'

/** Weight of a row in a statement besides its texts: names of columns, an id, a moment. */
const ROW_CHARACTERS = 200

/** Estimates the characters that a row takes in a statement. Counts texts, and nested values as their JSON. */
export const weightOf = (row: object): number => {
  let characters = ROW_CHARACTERS
  for (const value of Object.values(row))
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) characters += JSON.stringify(value).length
  return characters
}

export interface Portion<Row> {
  mostRows: number
  /** The sum of the weights of its rows, in characters unless they are weighed otherwise. */
  mostWeight: number
  /** Default: estimates the characters of a row. */
  weigh?: (row: Row) => number
}

/** Divides rows into portions, each small enough for one statement. */
export function* portionsOf<Row extends object>(
  rows: readonly Row[],
  { mostRows, mostWeight, weigh = weightOf }: Portion<Row>,
): Generator<readonly Row[]> {
  let from = 0
  let characters = 0
  for (const [index, row] of rows.entries()) {
    const weight = weigh(row)
    if (index > from && (index - from >= mostRows || characters + weight > mostWeight)) {
      yield rows.slice(from, index)
      from = index
      characters = 0
    }
    characters += weight
  }
  if (from < rows.length) yield from === 0 ? rows : rows.slice(from)
}

/**
 * Stores a portion at a time, so that others take turns; when one fails, removes those before it. Returns all that was
 * stored, in order.
 */
export const storeAllOrNone = async <Portion, Row>(
  portions: Iterable<Portion>,
  store: (portion: Portion) => Promise<readonly Row[]>,
  remove: (stored: readonly Row[]) => Promise<unknown>,
): Promise<Row[]> => {
  const stored: Row[] = []
  try {
    for (const portion of portions) for (const row of await store(portion)) stored.push(row)
  } catch (error) {
    // The time of the request may be over.
    if (stored.length > 0) await withoutTimeLimit(() => remove(stored))
    throw error
  }
  return stored
}
