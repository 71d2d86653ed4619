import { type Expression, type OperationNode, sql } from 'kysely'
import { TABLES } from '../../../generated/tables.js'
import type { Types } from '../types.js'

type Tables = typeof TABLES
export type TableName = keyof Tables

/** A column of the migrated schema, as in the generated table. */
export interface Definition {
  column: string
  type: keyof Types
  isNullable?: true
  hasDefault?: true
  isGenerated?: true
}

/** The type of a column's value in rows. */
export type ValueOf<Column> = Column extends { type: infer Type extends keyof Types }
  ? Column extends { isNullable: true }
    ? Types[Type] | null
    : Types[Type]
  : never

/** A row with all columns of its table. */
export type TableRow<Table extends TableName> = {
  -readonly [Name in keyof Tables[Table]]: ValueOf<Tables[Table][Name]>
}

/** An expression whose values have a known type, such as a column. */
export class Typed<Value> implements Expression<Value> {
  readonly #node: OperationNode
  /** The expression in the form that an answer can hold. */
  readonly read: Expression<Value>

  constructor(expression: Expression<unknown>, type: keyof Types) {
    this.#node = expression.toOperationNode()
    this.read = type === 'text[]' ? sql`to_json(${expression})` : this
  }

  get expressionType(): Value | undefined {
    return undefined
  }

  /**
   * Narrows the type by what a statement or the service's rules add: a condition that excludes null, or the members of
   * an enum.
   */
  narrow<Narrower extends Value>(): Typed<Narrower> {
    return this as unknown as Typed<Narrower>
  }

  toOperationNode(): OperationNode {
    return this.#node
  }
}

export type Columns<Table extends TableName> = {
  readonly [Name in keyof Tables[Table]]: Typed<ValueOf<Tables[Table][Name]>>
}

/** Returns the columns of a table under its alias in a statement. */
export const columnsOf = <Table extends TableName>(table: Table, alias: string): Columns<Table> =>
  Object.fromEntries(
    Object.entries<Definition>(TABLES[table]).map(([name, { column, type }]) => [
      name,
      new Typed(sql.raw(`${alias}.${column}`), type),
    ]),
  ) as unknown as Columns<Table>

type OrNull = `${keyof Types} | null`
type Cast<Type> = Type extends keyof Types
  ? Types[Type]
  : Type extends `${infer Base extends keyof Types} | null`
    ? Types[Base] | null
    : never

/** Casts an expression, so that PostgreSQL and the compiler agree on its type. */
export const cast = <Type extends keyof Types | OrNull>(
  type: Type,
  expression: Expression<unknown>,
): Typed<Cast<Type>> => {
  const name = type.replace(' | null', '') as keyof Types
  return new Typed(sql`(${expression})::${sql.raw(name)}`, name)
}
