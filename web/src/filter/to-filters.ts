import type { Condition, Filter, Sign } from './condition.js'

const OPERATORS: Record<Sign, string> = {
  '=': 'eq',
  '!=': 'neq',
  '~': 'ilike',
  '!~': 'nilike',
  ':': 'in',
  '!:': 'nin',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
}

/** Translates conditions into filters of the contract. */
export const toFilters = (conditions: readonly Condition[]): Filter[] =>
  conditions.map((condition) => {
    const { field, path, sign, values } = condition
    const own = field.toFilter?.(condition)
    if (own !== undefined) return own
    const rest = path === undefined ? {} : { path }
    if (values === null)
      return { field: field.filter, operator: sign === ':' ? 'is' : 'nis', value: null, ...rest }
    const read = (value: string) =>
      field.kind === 'number'
        ? Number(value)
        : field.kind === 'instant'
          ? new Date(value).toISOString()
          : value
    return {
      field: field.filter,
      operator: OPERATORS[sign],
      value: field.kind === 'list' ? values.map(read) : read(values[0] ?? ''),
      ...rest,
    }
  })
