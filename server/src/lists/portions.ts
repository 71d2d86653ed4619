import { weighed } from '../database/task.js'

/** Rows that are read before it is known how large they are: a page of fifty, and the row that tells of a next one. */
const FIRST_ROWS = 51
/**
 * Characters of one statement's answer. The only connection of the embedded engine is held by it for some 30 ms, and a
 * thousand rows of 200 kB at once held it for nearly two seconds.
 */
const PORTION_CHARACTERS = 4_000_000
/** Rows of one statement, however small they are: each takes some microseconds of its own. */
const PORTION_ROWS = 2000

/**
 * Reads rows by one statement, or by several if they are large, so that others need not wait until all are read.
 *
 * @param need - The number of rows.
 * @param read - Reads so many rows from a number on. Returns fewer when there are no more.
 */
export const readInPortions = async <Row>(
  need: number,
  read: (from: number, count: number) => Promise<readonly Row[]>,
): Promise<Row[]> => {
  const all: Row[] = []
  let count = Math.min(FIRST_ROWS, need)
  while (count > 0) {
    const { result: rows, characters } = await weighed(() => read(all.length, count))
    for (const row of rows) all.push(row)
    if (rows.length < count) break
    const fitting = Math.floor((PORTION_CHARACTERS * count) / Math.max(characters, 1))
    count = Math.min(Math.max(fitting, 1), PORTION_ROWS, need - all.length)
  }
  return all
}
