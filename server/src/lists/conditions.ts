import { invalid, show } from '../kernel/errors.js'
import { parseInstant } from '../kernel/instant.js'

/** The kind of a field's values, which decides its operators and the values that they compare with. */
export type Kind = 'string' | 'json' | 'number' | 'instant' | 'list'

/** A filter as it was sent. */
export interface Filter {
  field: string
  operator: string
  value?: unknown
  path?: string | null | undefined
}

/** A valid filter. */
export type Condition = { path: string | undefined } & (
  | { operator: 'eq' | 'neq' | 'ilike' | 'nilike'; value: string }
  | { operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'; value: number }
  | { operator: 'gt' | 'gte' | 'lt' | 'lte'; value: string }
  | { operator: 'in' | 'nin'; value: string[] }
  | { operator: 'is' | 'nis'; value: null }
)

const OPERATORS: Record<Kind, readonly string[]> = {
  string: ['eq', 'neq', 'ilike', 'nilike'],
  json: ['eq', 'neq', 'ilike', 'nilike'],
  number: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'],
  instant: ['gt', 'gte', 'lt', 'lte'],
  list: ['in', 'nin', 'ilike', 'nilike'],
}

const MAX_FILTERS = 100
const MAX_VALUES = 10_000

/** Each row pays for each key of a path. */
const MAX_KEYS = 100

export interface FieldRule {
  kind: Kind
  /** True when the field can be null, so that `is` and `nis` null make sense. */
  isNullable: boolean
}

/** Checks filters against the fields of a list; an error names the filter and what was expected. */
export const parseFilters = <Rule extends FieldRule>(
  filters: readonly Filter[] | null | undefined,
  fields: Record<string, Rule>,
): { rule: Rule; condition: Condition }[] => {
  if (filters === null || filters === undefined) return []
  if (filters.length > MAX_FILTERS)
    throw invalid(`filters: expected at most ${MAX_FILTERS}, got ${filters.length}`)
  return filters.map((filter, index) => parseFilter(`filters[${index}]`, filter, fields))
}

/** Checks a filter; an error begins with its place. */
export const parseFilter = <Rule extends FieldRule>(
  where: string,
  filter: Filter,
  fields: Record<string, Rule>,
): { rule: Rule; condition: Condition } => {
  const rule = Object.hasOwn(fields, filter.field) ? fields[filter.field] : undefined
  if (rule === undefined)
    throw invalid(
      `${where}.field: ${show(filter.field)} is no field of this list; expected one of ${Object.keys(fields).join(', ')}`,
    )
  return { rule, condition: parseCondition(where, filter, rule) }
}

const parseCondition = (
  where: string,
  filter: Filter,
  { kind, isNullable }: FieldRule,
): Condition => {
  const { operator, value } = filter
  const path = parsePath(where, filter, kind)
  if (isNullable && (operator === 'is' || operator === 'nis')) {
    if (value !== null && value !== undefined)
      throw invalid(`${where}.value: ${operator} compares with null only, got ${show(value)}`)
    return { operator, value: null, path }
  }
  if (!OPERATORS[kind].includes(operator)) {
    const expected = [...OPERATORS[kind], ...(isNullable ? ['is', 'nis'] : [])].join(', ')
    throw invalid(
      `${where}.operator: ${show(operator)} does not compare the field ${show(filter.field)}; expected one of ${expected}`,
    )
  }
  return { operator, value: parseValue(where, filter, kind), path } as Condition
}

/** Returns the keys of a value in JSON, separated by dots, or a name; undefined without one. */
const parsePath = (where: string, { path }: Filter, kind: Kind): string | undefined => {
  if (path === undefined || path === null || path === '') return undefined
  const keys = kind === 'json' ? path.split('.').length : 1
  if (keys > MAX_KEYS)
    throw invalid(
      `${where}.path: expected at most ${MAX_KEYS} keys, separated by dots, got ${keys}`,
    )
  return path
}

const parseValue = (where: string, { field, operator, value }: Filter, kind: Kind): unknown => {
  const wrong = (expected: string) =>
    invalid(`${where}.value: ${field} ${operator} expects ${expected}, got ${show(value)}`)
  switch (kind) {
    case 'string':
    case 'json':
      if (typeof value === 'string') return value
      // JSON holds numbers and booleans too; their text form is compared.
      if (kind === 'json' && (typeof value === 'number' || typeof value === 'boolean'))
        return String(value)
      throw wrong('a string')
    case 'number':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong('a number')
      return value
    case 'instant':
      return parseInstant(`${where}.value`, value)
    case 'list':
      if (operator === 'in' || operator === 'nin') return parseList(value, wrong)
      if (typeof value === 'string') return value
      throw wrong('a string')
  }
}

const parseList = (value: unknown, wrong: (expected: string) => Error): string[] => {
  const list = typeof value === 'string' ? [value] : value
  if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
    throw wrong('a list of strings')
  if (list.length > MAX_VALUES) throw wrong(`at most ${MAX_VALUES} strings`)
  return list
}
