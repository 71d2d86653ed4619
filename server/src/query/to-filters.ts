import type { Condition, Sign } from './condition.js'
import { readInstant } from './instants.js'

/** A filter of the contract. */
export interface Filter {
  field: string
  operator: string
  value: unknown
  path?: string
}

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

/** Translates a condition into a filter of the contract. */
export const toFilter = ({ field, path, sign, values }: Condition): Filter => {
  const isMissing = sign === ':'
  const rest = path === undefined ? {} : { path }
  if (values === null)
    return field.isCount
      ? { field: field.filter, operator: isMissing ? 'eq' : 'gt', value: 0 }
      : { field: field.filter, operator: isMissing ? 'is' : 'nis', value: null, ...rest }
  const operator = OPERATORS[sign]
  const [first = ''] = values
  if (sign === '~' || sign === '!~')
    return { field: field.textFilter ?? field.filter, operator, value: first, ...rest }
  switch (field.kind) {
    case 'list':
      return { field: field.filter, operator, value: values, ...rest }
    case 'number':
      return { field: field.filter, operator, value: Number(first), ...rest }
    case 'instant':
      return { field: field.filter, operator, value: readInstant(first), ...rest }
    default:
      return { field: field.filter, operator, value: first, ...rest }
  }
}
