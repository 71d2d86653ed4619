import {
  createQueryId,
  type Expression,
  sql as kysely,
  type OperationNode,
  PostgresQueryCompiler,
  type RawBuilder,
  type RawNode,
} from 'kysely'
import { Typed } from './columns.js'

/** Any piece of a statement. */
export type Sql<Value = unknown> = Expression<Value>

const compiler = new PostgresQueryCompiler()

/** Writes a piece of a statement out once, where it has no parameters: most selections are dozens of columns, used for ever. */
const writtenOut = (piece: RawBuilder<unknown>): OperationNode => {
  const node = piece.toOperationNode()
  const { sql: text, parameters } = compiler.compileQuery(node as RawNode, createQueryId())
  return parameters.length === 0 ? kysely.raw(text).toOperationNode() : node
}

/** The columns that a statement answers with, and so the type of its rows. */
export class Selection<Row> {
  /** For the compiler alone. */
  declare readonly row: Row
  readonly #node: OperationNode

  constructor(node: OperationNode) {
    this.#node = node
  }

  /** Adds columns. */
  and<More>(more: Selection<More>): Selection<Row & More> {
    return new Selection(kysely`${this}, ${more}`.toOperationNode())
  }

  toOperationNode(): OperationNode {
    return this.#node
  }
}

/** The rows of a statement that selects this. */
export type RowOf<Selected> = Selected extends Selection<infer Row> ? Row : never

/** Selects expressions under the names that rows have for them. */
export const select = <Expressions extends Record<string, Expression<unknown>>>(
  expressions: Expressions,
) => {
  const columns = Object.entries(expressions).map(([name, expression]) => {
    const read = expression instanceof Typed ? expression.read : expression
    return kysely`${read} AS ${kysely.ref(name)}`
  })
  return new Selection<{
    -readonly [Name in keyof Expressions]: Expressions[Name] extends Expression<infer Value>
      ? Value
      : never
  }>(writtenOut(kysely.join(columns)))
}

/** Some members of an object: the columns that rows call by their own names. */
export const pick = <Columns extends object, Name extends keyof Columns>(
  columns: Columns,
  ...names: Name[]
): Pick<Columns, Name> =>
  Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Columns, Name>

type SelectedBy<Parts> = Parts extends readonly [infer Part, ...infer Rest]
  ? (Part extends Selection<infer Row> ? Row : unknown) & SelectedBy<Rest>
  : unknown

interface Tag {
  <Parts extends unknown[]>(
    texts: TemplateStringsArray,
    ...parts: Parts
  ): RawBuilder<SelectedBy<Parts>>
  lit: (value: number) => RawBuilder<unknown>
  join: (parts: readonly unknown[], separator?: RawBuilder<unknown>) => RawBuilder<unknown>
  raw: (text: string) => RawBuilder<unknown>
  ref: (name: string) => RawBuilder<unknown>
  table: (name: string) => RawBuilder<unknown>
}

/**
 * A statement, or a piece of one. Its rows have the type of the selections in it; no type can be claimed for them, so that
 * a column and its type are said once, by the schema.
 */
export const sql: Tag = kysely
