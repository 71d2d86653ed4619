import type { Database } from '../database/database.js'
import { cast } from '../database/rows/columns.js'
import { type Sql, sql } from '../database/rows/sql.js'
import { encodeText } from '../database/text.js'
import type { Instant } from '../kernel/instant.js'
import type { Condition, Kind } from './conditions.js'
import { contains } from './letter-case.js'

/** SQL that yields true or false, never null, so that conditions can be negated and joined safely. */
export type Test = Sql
export type Value<Held = unknown> = Sql<Held>

/**
 * A condition in a form that an index can use. An index cannot use `coalesce(name = 'x', false)`, so the condition that
 * finds the rows is written beside the one that tests them.
 */
export interface IndexHint {
  test: Test
  /** Set when every row that it finds passes the condition; else the condition is tested too. */
  isExact: boolean
  /** Set when the index has the rows in the list's `indexOrder`. */
  isInOrder?: boolean
  /** The order of the list whose own index it narrows. */
  bounds?: string
  /** The field whose value comes next in an index of its own, before the order of the list. */
  narrowedBy?: string
  /** The field whose value it selects, where an index of another field may be narrowed by it. */
  narrows?: string
}

/** A condition that depends on rows of another table. */
export interface Relation {
  /** The column of the list's row that the other table refers to. */
  link: Value<string | null>
  /** Returns the links for which the other table has a row that passes. */
  passing: (links: readonly string[]) => Promise<readonly string[]>
  /** Set when the rows are wanted whose link is not among them. */
  isNegated: boolean
  /**
   * Returns all links that pass, by an index; undefined when there are more than `most`. Absent if no index can find
   * them.
   */
  candidates?: (most: number) => Promise<readonly string[] | undefined>
  /** Tests by indexes if a row has one of some links; needed where the link itself has no index. */
  isAmong?: (links: readonly string[]) => Test
}

/** A condition on the rows of a list: a test of the row, or a relation. */
export type Criterion =
  | {
      test: Test
      indexHint?: IndexHint | undefined
      /** A text that the contents of the list's steps have, by an index of its own. */
      contained?: string | undefined
    }
  | { relation: Relation }

/** A filterable field of a list: the kind of its values, and the SQL of a condition on it. */
export interface Field<Held extends Kind = Kind> {
  kind: Held
  criterion: (condition: Condition, db: Database) => Criterion | Promise<Criterion>
}

/** `neq`, `nilike` and `nin` are the opposites of `eq`, `ilike` and `in`: rows without a value pass them. */
const OPPOSITES: Partial<Record<Condition['operator'], Condition['operator']>> = {
  neq: 'eq',
  nilike: 'ilike',
  nin: 'in',
  nis: 'is',
}

/** Returns a condition without its negation. */
export const positive = (condition: Condition): { condition: Condition; isNegated: boolean } => {
  const opposite = OPPOSITES[condition.operator]
  return opposite === undefined
    ? { condition, isNegated: false }
    : { condition: { ...condition, operator: opposite } as Condition, isNegated: true }
}

const COMPARISONS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** Compares a single value of a row. `value` gets the path of the condition, for JSON. */
const compare =
  (value: (path: string | undefined) => Value, cast = sql``) =>
  (given: Condition): Test => {
    const { condition, isNegated } = positive(given)
    if (isNegated) return sql`NOT ${compare(value, cast)(condition)}`
    const left = value(condition.path)
    switch (condition.operator) {
      case 'is':
        return sql`(${left} IS NULL)`
      case 'eq':
        return sql`coalesce(${left} = ${condition.value}${cast}, false)`
      case 'ilike':
        // Not ILIKE, whose time grows with text times pattern. With a Unicode collation, as that of the database may be
        // "C", which folds the case of ASCII letters only.
        return contains(left, condition.value)
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return sql`coalesce(${left} ${COMPARISONS[condition.operator]} ${condition.value}${cast}, false)`
      default:
        throw new Error(`no comparison for ${condition.operator}`)
    }
  }

export interface OwnField<Held extends Kind = Kind> extends Field<Held> {
  test: (condition: Condition) => Test
  criterion: (condition: Condition) => Criterion
}

const own = <Held extends Kind>(kind: Held, test: OwnField['test']): OwnField<Held> => ({
  kind,
  test,
  criterion: (condition) => ({ test: test(condition) }),
})

export const string = (value: Value<string | null>) =>
  own(
    'string',
    compare(() => value),
  )

export const number = (value: Value<number | null>) =>
  own(
    'number',
    compare(() => value, sql`::float8`),
  )

export const instant = (value: Value<Instant | null>) =>
  own(
    'instant',
    compare(() => value, sql`::timestamptz`),
  )

/** Compares JSON by its text: all of it, or of the value at a path, whose keys are separated by dots. */
export const json = (value: Value) =>
  own(
    'json',
    compare((path) => {
      if (path === undefined) return sql`${value}::text`
      if (!path.includes('.')) return sql`(${value} ->> ${path}::text)`
      return sql`coalesce(${value} ->> ${path}::text, ${value} #>> ${path.split('.')}::text[])`
    }),
  )

/** Compares a list in the row itself. A missing list equals an empty one. */
export const tags = (value: Value<string[] | null>): OwnField<'list'> =>
  own('list', (given) => {
    const { condition, isNegated } = positive(given)
    const test =
      condition.operator === 'is'
        ? sql`(coalesce(cardinality(${value}), 0) = 0)`
        : condition.operator === 'ilike'
          ? sql`EXISTS (SELECT 1 FROM unnest(${value}) AS member WHERE ${contains(sql`member`, condition.value)})`
          : hasAny(value, condition.value as readonly string[])
    return isNegated ? sql`NOT ${test}` : test
  })

/** Values from which on the engine looks a value up in a table of them, instead of comparing it with each. */
const LOOKED_UP = 9

/** An overlap of lists compares all members of one with all of the other: some milliseconds a row, with 10,000 values. */
const hasAny = (list: Value<string[] | null>, values: readonly string[]) =>
  values.length < LOOKED_UP
    ? sql`coalesce(${list} && ${values}::text[], false)`
    : sql`EXISTS (SELECT 1 FROM unnest(${list}) AS member WHERE member = ANY(${values}::text[]))`

/** Compares a value with some: `in` finds those that are one of them. */
export const amongSome = (value: Value<string | null>): OwnField<'list'> =>
  own('list', (given) => {
    const { condition, isNegated } = positive(given)
    const isAny =
      condition.operator === 'ilike'
        ? contains(value, condition.value)
        : sql`coalesce(${isAmong(value, condition)}, false)`
    return isNegated ? sql`NOT ${isAny}` : isAny
  })

const isAmong = (value: Value<string | null>, { value: given }: Condition) =>
  sql`${value} = ANY(${given}::text[])`

/** Compares a value with several, by an index of it. A row without a value is none of them. */
export const anyOf = (value: Value<string | null>): OwnField<'list'> =>
  indexed(amongSome(value), (condition) =>
    condition.operator === 'in' ? { test: isAmong(value, condition), isExact: true } : undefined,
  )

/** Adds an index to a field. */
export const indexed = <Held extends Kind>(
  field: OwnField<Held>,
  indexHint: (condition: Condition) => IndexHint | undefined,
): OwnField<Held> => ({
  ...field,
  criterion: (condition) => ({ test: field.test(condition), indexHint: indexHint(condition) }),
})

/** For an index that begins with the value and continues in the list's `indexOrder`. */
export const byValue =
  (value: Value) =>
  (condition: Condition): IndexHint | undefined =>
    condition.operator === 'eq'
      ? { test: sql`${value} = ${condition.value}`, isExact: true, isInOrder: true }
      : undefined

/** Characters of a text that an index contains: the size of an entry is limited, that of a name is not. */
const INDEXED_CHARACTERS = 200
export const startOf = (value: Value<string | null>) =>
  cast('text | null', sql`left(${value}, ${sql.lit(INDEXED_CHARACTERS)})`)

/** Returns true when the indexed part of a text is all of it. An empty one may stand for null. */
const isWhole = (text: string): boolean =>
  text !== '' && encodeText(text).length < INDEXED_CHARACTERS

/** For an index that begins with the start of a text. */
export const byStart =
  (value: Value, { isInOrder = true, narrows }: { isInOrder?: boolean; narrows?: string } = {}) =>
  (condition: Condition): IndexHint | undefined =>
    condition.operator === 'eq'
      ? {
          test: sql`${value} = ${startOf(cast('text', sql`${condition.value}`))}`,
          isExact: isWhole(String(condition.value)),
          isInOrder,
          ...(narrows === undefined ? {} : { narrows }),
        }
      : undefined

/**
 * For an index of the rows that have a value, in the list's `indexOrder`. Suits values that few rows have. `isPresent` says so
 * in the words of the index, and `narrowedBy` names a field by which there is another index of these rows.
 */
export const byPresence =
  (
    value: Value,
    {
      isPresent = sql`${value} IS NOT NULL`,
      narrowedBy,
    }: { isPresent?: Sql; narrowedBy?: string } = {},
  ) =>
  (condition: Condition): IndexHint | undefined =>
    ['eq', 'ilike', 'nis'].includes(condition.operator)
      ? {
          test: isPresent,
          isExact: condition.operator === 'nis',
          isInOrder: true,
          ...(narrowedBy === undefined ? {} : { narrowedBy }),
        }
      : undefined

/** Compares a count as a condition does. */
const COUNTS: Partial<Record<Condition['operator'], (count: number, given: number) => boolean>> = {
  eq: (count, given) => count === given,
  neq: (count, given) => count !== given,
  gt: (count, given) => count > given,
  gte: (count, given) => count >= given,
}

/** For an index of the rows whose count is above zero, in the list's `indexOrder`. Suits counts that are mostly zero. */
export const byCountOfSome =
  (value: Value<number>) =>
  ({ operator, value: given }: Condition): IndexHint | undefined => {
    const passes = (count: number) => COUNTS[operator]?.(count, Number(given)) ?? true
    return passes(0)
      ? undefined
      : { test: sql`${value} > 0`, isExact: operator !== 'eq' && passes(1), isInOrder: true }
  }

const IN_ORDER = {
  // The rows without a value are at the lower end of the index, below every number.
  float8: { cast: sql`::float8`, lowest: sql`'-1.7976931348623157e308'::float8` },
  timestamptz: { cast: sql`::timestamptz`, lowest: undefined },
}

/** For the index of an order of the list. */
export const byRange =
  (order: string, value: Value, type: keyof typeof IN_ORDER) =>
  (condition: Condition): IndexHint | undefined => {
    const { cast, lowest } = IN_ORDER[type]
    const indexHint = (comparison: Value, ...more: Value[]) => ({
      test: sql.join([sql`${value} ${comparison} ${condition.value}${cast}`, ...more], sql` AND `),
      isExact: true,
      bounds: order,
    })
    switch (condition.operator) {
      case 'eq':
        return indexHint(sql`=`)
      case 'gt':
      case 'gte':
        return indexHint(COMPARISONS[condition.operator])
      case 'lt':
      case 'lte':
        return indexHint(
          COMPARISONS[condition.operator],
          ...(lowest === undefined ? [] : [sql`${value} >= ${lowest}`]),
        )
      default:
        return undefined
    }
  }

/** Orders rows by a number that may be null: those without one are below all others. */
export const orLowest = (value: Value<number | null>) =>
  cast('float8', sql`coalesce(${value}, '-Infinity'::float8)`)

/** Returns the items found, unless there are more than were asked for. */
export const atMost = <Item>(most: number, found: readonly Item[]): readonly Item[] | undefined =>
  found.length > most ? undefined : found

/** For an index of each member of the lists. */
export const byMember =
  (...values: Value[]) =>
  (condition: Condition): IndexHint | undefined =>
    condition.operator === 'in'
      ? {
          test: sql`(${sql.join(
            values.map((value) => sql`${value} && ${condition.value}::text[]`),
            sql` OR `,
          )})`,
          isExact: true,
        }
      : undefined

/** The time of a row's creation, which every list can be ordered by. */
export const creation = (value: Value<Instant>): OwnField<'instant'> =>
  indexed(instant(value), byRange('createdAt', value, 'timestamptz'))

/** Tests an id against a few ids found beforehand. If these are undefined, any id passes. */
export const oneOf = <Held extends Kind>(
  id: Value<string | null>,
  kind: Held,
  idsOf: (db: Database, condition: Condition) => Promise<readonly string[] | undefined>,
): Field<Held> => ({
  kind,
  criterion: async (given, db) => {
    // A row without an id is one whose id is none of the known ones.
    const isNull = given.operator === 'is' || given.operator === 'nis'
    const { condition, isNegated } = isNull
      ? { condition: given, isNegated: given.operator === 'is' }
      : positive(given)
    const ids = await idsOf(db, condition)
    const test =
      ids === undefined
        ? sql`(${id} IS NOT NULL)`
        : sql`coalesce(${id} = ANY(${ids}::text[]), false)`
    if (isNegated) return { test: sql`NOT ${test}` }
    if (ids === undefined) return { test }
    // An index is read in order only for a single value.
    const indexHint =
      ids.length === 1
        ? { test: sql`${id} = ${ids[0]}`, isExact: true, isInOrder: true }
        : { test: sql`${id} = ANY(${ids}::text[])`, isExact: true }
    return { test, indexHint }
  },
})

/**
 * A condition that holds for a row when it holds for some row that refers to it. `opposites` decides if `nin` finds
 * rows that no matching row refers to, or rows that some other row refers to.
 */
export const related = <Held extends Kind>(
  kind: Held,
  relation: (condition: Condition, db: Database) => Omit<Relation, 'isNegated'>,
  { opposites }: { opposites: 'none' | 'some' },
): Field<Held> => ({
  kind,
  criterion: (given, db) => {
    const { condition, isNegated } =
      opposites === 'none' ? positive(given) : { condition: given, isNegated: false }
    return { relation: { ...relation(condition, db), isNegated } }
  },
})
