import { CompiledQuery } from 'kysely'
import type { Database } from '../database.js'
import { ONCE } from '../driver.js'
import { type Selection, sql, textOf } from './sql.js'

/** Rows of the statements that large batches are divided into. It is prepared, as the one for a single row is. */
export const PORTION = 64

export interface InsertionOptions<Row> {
  /** The table, and its alias if the rest of the statement has one. */
  into: string
  /** The columns whose values are given. */
  columns: readonly string[]
  /** SQL of the values that are the same in each row, by their columns. */
  constants?: Readonly<Record<string, string>>
  /** The rest of the statement, with the parameters that it has beside the rows: `$1` and so on. */
  after: string
  parameters?: number
  returned?: Selection<Row>
}

/** An insertion of any number of rows. */
export interface Insertion<Row> {
  /** Inserts rows, in their order. Returns what their changes return, in no order. */
  run: (
    db: Database,
    rows: Iterable<readonly unknown[]>,
    parameters?: readonly unknown[],
  ) => Promise<Row[]>
}

/**
 * Creates an insertion with a parameter for each value. That is a fifth less work for the database than one from a list
 * for each column or from JSON; and a distributed one sends each worker its rows, where it would fetch the results of a
 * function before it divides them. It is text, as pieces for thousands of parameters take longer than the statement.
 */
export const insertion = <Row>({
  into,
  columns,
  constants = {},
  after,
  parameters: count = 0,
  returned,
}: InsertionOptions<Row>): Insertion<Row> => {
  const returning = returned === undefined ? '' : textOf(sql`RETURNING ${returned}`)
  const row = (_: unknown, index: number) => {
    const first = 1 + count + index * columns.length
    const given = columns.map((_, cell) => `$${first + cell}`)
    return `(${[...given, ...Object.values(constants)].join(',')})`
  }
  const names = [...columns, ...Object.keys(constants)].join(', ')
  const textFor = (rows: number) =>
    `INSERT INTO ${into} (${names}) VALUES ${Array.from({ length: rows }, row).join(',')} ${after} ${returning}`
  const prepared = new Map<number, string>()
  const textWith = (rows: number): string => {
    if (rows !== 1 && rows !== PORTION) return `${ONCE}${textFor(rows)}`
    const text = prepared.get(rows) ?? textFor(rows)
    prepared.set(rows, text)
    return text
  }
  return {
    run: async (db, rows, parameters = []) => {
      const written: Row[] = []
      let values = [...parameters]
      let waiting = 0
      const flush = async () => {
        const result = await db.executeQuery<Row>(CompiledQuery.raw(textWith(waiting), values))
        for (const one of result.rows) written.push(one)
        values = [...parameters]
        waiting = 0
      }
      for (const cellsOfRow of rows) {
        for (const value of cellsOfRow) values.push(value)
        if (++waiting === PORTION) await flush()
      }
      if (waiting > 0) await flush()
      return written
    },
  }
}
