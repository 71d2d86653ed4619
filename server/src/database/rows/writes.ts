import { TABLES } from '../../../generated/tables.js'
import { json } from '../parameters.js'
import type { Definition, TableName, ValueOf } from './columns.js'
import { type Sql, sql } from './sql.js'

type Tables = typeof TABLES

type Written<Column> = ValueOf<Column> extends infer Value
  ? Value extends readonly (infer Item)[]
    ? readonly Item[]
    : Value
  : never

type Writable<Table extends TableName> = {
  [Name in keyof Tables[Table]]: Tables[Table][Name] extends { isGenerated: true } ? never : Name
}[keyof Tables[Table]]

type Optional<Table extends TableName> = {
  [Name in keyof Tables[Table]]: Tables[Table][Name] extends
    | { isNullable: true }
    | { hasDefault: true }
    ? Name
    : never
}[keyof Tables[Table]]

type Values<Table extends TableName, Names extends keyof Tables[Table]> = {
  [Name in Names]: Written<Tables[Table][Name]>
}

/** New values of some columns; undefined ones stay unchanged. */
export type Changes<Table extends TableName> = {
  [Name in Writable<Table>]?: Written<Tables[Table][Name]> | undefined
}

/** The values of a new row: those that can be null or have a default may be left out. */
type NewRow<Table extends TableName> = Values<Table, Exclude<Writable<Table>, Optional<Table>>> &
  Changes<Table>

/** Allows columns only: a variable could hold other members, which would be lost. */
type Exactly<Given, Table extends TableName> = Given & {
  [Name in Exclude<keyof Given, Writable<Table>>]: never
}

/** Returns the columns that have a value. */
const given = (table: TableName, values: object) => {
  const columns: Record<string, Definition> = TABLES[table]
  return Object.entries(values).flatMap(([name, value]) => {
    const definition = columns[name]
    if (definition === undefined) throw new Error(`${table} has no column ${name}`)
    return value === undefined
      ? []
      : [{ column: sql.ref(definition.column), value: parameter(definition.type, value) }]
  })
}

const parameter = (type: string, value: unknown): Sql => {
  if (type === 'json') return json(value)
  return type === 'text' ? sql`${value}` : sql`${value}::${sql.raw(type)}`
}

/** Returns `name = value, …` for the columns that have a value; undefined when there are none. */
export const assignments = <Table extends TableName, Given extends Changes<Table>>(
  table: Table,
  changes: Exactly<Given, Table>,
): Sql | undefined => {
  const columns = given(table, changes)
  return columns.length === 0
    ? undefined
    : sql.join(columns.map(({ column, value }) => sql`${column} = ${value}`))
}

/** Returns `(name, …) VALUES (value, …)` for a new row. */
export const valuesOf = <Table extends TableName, Given extends NewRow<Table>>(
  table: Table,
  row: Exactly<Given, Table>,
): Sql => {
  const columns = given(table, row)
  return sql`(${sql.join(columns.map(({ column }) => column))})
    VALUES (${sql.join(columns.map(({ value }) => value))})`
}

/** Returns `unnest(…)` of some columns of many rows, in the order of the names. */
export const unnest = <Table extends TableName, Name extends Writable<Table> & string>(
  table: Table,
  rows: readonly Values<Table, Name>[],
  ...names: Name[]
): Sql => {
  const definitions = TABLES[table] as unknown as Record<Name, Definition>
  const lists = names.map(
    (name) => sql`${rows.map((row) => row[name])}::${sql.raw(definitions[name].type)}[]`,
  )
  return sql`unnest(${sql.join(lists)})`
}
