import { type RawBuilder, sql } from 'kysely'
import type { Condition, FieldRule } from './conditions.js'

/** SQL that yields true or false, never null, so that conditions can be negated and joined safely. */
export type Test = RawBuilder<unknown>
type Value = RawBuilder<unknown>

/** A field of a list that can be filtered: what it holds, and the SQL of a condition on it. */
export interface Field extends FieldRule {
  test: (condition: Condition) => Test
}

/** `neq`, `nilike` and `nin` are the opposites of `eq`, `ilike` and `in`: rows without a value pass them. */
const OPPOSITES: Partial<Record<Condition['operator'], Condition['operator']>> = {
  neq: 'eq',
  nilike: 'ilike',
  nin: 'in',
  nis: 'is',
}

const COMPARISONS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` }

/** Compares one value that a row has. `value` gets the path of the condition, for JSON. */
const compare =
  (value: (path: string | undefined) => Value, cast = sql``) =>
  (condition: Condition): Test => {
    const opposite = OPPOSITES[condition.operator]
    if (opposite !== undefined)
      return sql`NOT ${compare(value, cast)({ ...condition, operator: opposite } as Condition)}`
    const left = value(condition.path)
    switch (condition.operator) {
      case 'is':
        return sql`(${left} IS NULL)`
      case 'eq':
        return sql`coalesce(${left} = ${condition.value}${cast}, false)`
      case 'ilike':
        // Not ILIKE, whose time grows with text times pattern. The database's own collation, as "C" would fold the case
        // of ASCII letters alone.
        return sql`coalesce(strpos(${lower(left)}, ${lower(sql`${condition.value}::text`)}) > 0, false)`
      case 'gt':
      case 'gte':
      case 'lt':
      case 'lte':
        return sql`coalesce(${left} ${COMPARISONS[condition.operator]} ${condition.value}${cast}, false)`
      default:
        throw new Error(`no comparison for ${condition.operator}`)
    }
  }

const lower = (value: Value) => sql`lower((${value}) COLLATE "default")`

const field = (kind: Field['kind'], nullable: boolean, test: Field['test']): Field => ({
  kind,
  nullable,
  test,
})

export const string = (value: Value, nullable = true) =>
  field(
    'string',
    nullable,
    compare(() => value),
  )

export const number = (value: Value, nullable = true) =>
  field(
    'number',
    nullable,
    compare(() => value, sql`::float8`),
  )

export const instant = (value: Value, nullable = true) =>
  field(
    'instant',
    nullable,
    compare(() => value, sql`::timestamptz`),
  )

/** JSON is compared by its text: all of it, or of the value at a path, whose keys are separated by dots. */
export const json = (value: Value) =>
  field(
    'json',
    true,
    compare((path) => {
      if (path === undefined) return sql`${value}::text`
      if (!path.includes('.')) return sql`(${value} ->> ${path}::text)`
      return sql`coalesce(${value} ->> ${path}::text, ${value} #>> ${path.split('.')}::text[])`
    }),
  )

/** A list that the row itself holds. No list and an empty one are the same. */
export const tags = (value: Value): Field =>
  field('list', true, (condition) => {
    const opposite = OPPOSITES[condition.operator]
    if (opposite !== undefined)
      return sql`NOT ${tags(value).test({ ...condition, operator: opposite } as Condition)}`
    return condition.operator === 'is'
      ? sql`(coalesce(cardinality(${value}), 0) = 0)`
      : sql`coalesce(${value} && ${condition.value}::text[], false)`
  })

/** A list that the row reaches through a set of ids. `among` gives the ids for some values, or for any at all. */
export const members = (
  id: Value,
  among: (values: string[] | undefined) => Value,
  nullable = true,
) =>
  field('list', nullable, (condition) => {
    const negated = condition.operator === 'nin' || condition.operator === 'is'
    const ids = among(
      condition.operator === 'in' || condition.operator === 'nin' ? condition.value : undefined,
    )
    const inside = sql`coalesce(${id} IN (${ids}), false)`
    return negated ? sql`NOT ${inside}` : inside
  })

/** Some related row passes: `among` gives the ids that have one, given the test on the related row. */
export const some = (
  kind: Field['kind'],
  nullable: boolean,
  id: Value,
  value: Value,
  among: (test: Test) => Value,
) => {
  const related = { string, number, instant, json, list: tags }[kind](value)
  return field(
    kind,
    nullable,
    (condition) => sql`coalesce(${id} IN (${among(related.test(condition))}), false)`,
  )
}
