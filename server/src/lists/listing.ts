import { type LIST_COLUMNS, LIST_FIELDS } from '../../generated/list-fields.js'
import type { Database } from '../database/database.js'
import type { Selection } from '../database/rows/sql.js'
import type { Instant } from '../kernel/instant.js'
import type { ListName } from '../query/languages.js'
import type { FieldRule, Kind } from './conditions.js'
import type { ReadTexts } from './contents/unindexed.js'
import type { Position } from './cursor.js'
import type { Field, Test, Value } from './fields.js'

/** An order of a list. Null sorts below every value; `value` replaces it by a sentinel. */
export interface Order {
  value: Value
  type: 'timestamptz' | 'float8' | 'text'
  /** Set when an index has the rows in this order; without one, only a limited number of rows can be sorted. */
  isIndexed: boolean
}

/** The rows of an order to find: those after one position, and before another. */
export interface OrderRange {
  isAscending: boolean
  from?: Position | undefined
  to?: Position | undefined
}

/** All rows of a list at one moment: the first ones whose sums are kept, in any order, and all others. */
export interface KeptOrder {
  first: { id: string; sum: number }[]
  others: string[]
}

/** An order of a list by sums over the rows of another table, of which a row may have any number. */
export interface SummedOrder {
  /** Finds the first rows by sums that are kept, and up to a number of those without; undefined where none are kept. */
  kept?: (
    db: Database,
    range: OrderRange,
    most: { need: number; mostOthers: number },
  ) => Promise<KeptOrder | undefined>
  /** Returns the sum of each of some rows, in any order. */
  sumsOf: (db: Database, ids: readonly string[]) => Promise<readonly { id: string; sum: number }[]>
  type: 'float8'
  isIndexed: false
}

/** A field of a list. Of several that have an index, the one of the least precedence leads a search. */
export interface ListedField extends Field, FieldRule {
  precedence: number
}

/** A list that can be paged through: everything but the project and the request. */
export interface Listing<Row = unknown> {
  /** Its name in the schema, which its cursors tell. */
  name: string
  table: Value
  /** The table's alias in all other members. */
  alias: Value
  columns: Selection<Row>
  id: Value<string>
  projectId: Value<string>
  createdAt: Value<Instant>
  /** Reads the texts of the first of some rows, as they are searched, where the list is of steps. */
  texts?: ReadTexts
  /** Holds for every row of the list; the indexes of its orders contain no other rows. */
  always?: Test
  fields: Record<string, ListedField>
  /** The name of its language of filters, if it has one. */
  list?: ListName
  /** The rows below each row, of which the language can ask for one, and their column that refers to it. */
  some?: { listing: Listing; link: Value<string | null> }
  orders: Record<string, Order | SummedOrder> & { createdAt: Order }
  /** The order in which the indexes of fields have rows of one value. Default: `createdAt`. */
  indexOrder?: string
}

/** Returns an order by values of the rows themselves; that of creation for a column that has none. */
export const ownOrder = ({ orders }: Listing, column: string): Order => {
  const order = orders[column]
  return order === undefined || 'sumsOf' in order ? orders.createdAt : order
}

type Lists = typeof LIST_FIELDS

/** The SQL of each field by which the schema lets a list be filtered. */
type FieldsOf<Rules> = {
  [Name in keyof Rules]: Rules[Name] extends { kind: infer Held extends Kind } ? Field<Held> : never
}

/**
 * Joins the SQL of a list's fields with their definition in the schema. The compiler names a field that has no SQL, or
 * is of another kind. They lead a search in the order in which they are given: those whose values few rows share come first.
 */
export const fieldsOf = <List extends keyof Lists>(
  list: List,
  fields: FieldsOf<Lists[List]>,
): Listing['fields'] => {
  const names = Object.keys(fields)
  return Object.fromEntries(
    Object.entries(LIST_FIELDS[list] as Record<string, FieldRule>).map(([name, { isNullable }]) => [
      name,
      {
        ...fields[name as keyof Lists[List]],
        isNullable,
        precedence: names.indexOf(name),
      },
    ]),
  )
}

/** Returns fields that are in no schema, which lead a search in this order. */
export const inPrecedence = (fields: Record<string, Field & FieldRule>): Listing['fields'] =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field], precedence) => [name, { ...field, precedence }]),
  )

/** The orders that the schema lets a list have. */
export type OrdersOf<List extends keyof typeof LIST_COLUMNS> = Record<
  (typeof LIST_COLUMNS)[List][number],
  Order | SummedOrder
>
