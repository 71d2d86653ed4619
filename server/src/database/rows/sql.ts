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

const compile = (piece: Sql) =>
  compiler.compileQuery(piece.toOperationNode() as RawNode, createQueryId())

/** Returns the text of a piece of a statement that has no parameters. */
export const textOf = (piece: Sql): string => compile(piece).sql

/**
 * Compiles a piece of a statement without parameters to its text once: most selections have dozens of columns, and live
 * as long as the process.
 */
const writtenOut = (piece: RawBuilder<unknown>): OperationNode => {
  const node = piece.toOperationNode()
  const { sql: text, parameters } = compile(piece)
  return parameters.length === 0 ? kysely.raw(text).toOperationNode() : node
}

/** The columns that a statement returns, and so the type of its rows. */
export class Selection<Row> {
  /** Exists for the compiler only. */
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

/** Picks members of an object: the columns whose names rows keep. */
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
 * A statement, or a piece of one. The type of its rows comes from its selections and cannot be asserted, so that only
 * the schema says which columns there are and of which types.
 */
export const sql: Tag = kysely
