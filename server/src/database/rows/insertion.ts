import { CompiledQuery, createQueryId, PostgresQueryCompiler, type RawNode } from 'kysely'
import type { Database } from '../database.js'
import { ONCE } from '../driver.js'
import { type Selection, sql } from './sql.js'

/** Rows of the statements that large batches are divided into. It is prepared, as the one for a single row is. */
export const PORTION = 64

export interface InsertionOptions<Row> {
  /** The table and its columns: those whose values are given, and then those of the constants. */
  into: string
  /** The number of values that are given for each row. */
  cells: number
  /** SQL of the values that are the same in each row. */
  constants?: readonly string[]
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

const compiler = new PostgresQueryCompiler()

/**
 * Creates an insertion with a parameter for each value. That is a fifth less work for the database than one from a list
 * for each column or from JSON; and a distributed one sends each worker its rows, where it would fetch the results of a
 * function before it divides them. It is text, as pieces for thousands of parameters take longer than the statement.
 */
export const insertion = <Row>({
  into,
  cells,
  constants = [],
  after,
  parameters: count = 0,
  returned,
}: InsertionOptions<Row>): Insertion<Row> => {
  const returning =
    returned === undefined
      ? ''
      : compiler.compileQuery(
          sql`RETURNING ${returned}`.toOperationNode() as RawNode,
          createQueryId(),
        ).sql
  const row = (_: unknown, index: number) => {
    const first = 1 + count + index * cells
    const given = Array.from({ length: cells }, (_, cell) => `$${first + cell}`)
    return `(${[...given, ...constants].join(',')})`
  }
  const textFor = (rows: number) =>
    `INSERT INTO ${into} VALUES ${Array.from({ length: rows }, row).join(',')} ${after} ${returning}`
  const prepared = new Map<number, string>()
  const textOf = (rows: number): string => {
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
        const result = await db.executeQuery<Row>(CompiledQuery.raw(textOf(waiting), values))
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
