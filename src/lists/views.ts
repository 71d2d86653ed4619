import type { View } from '../api/views/views.js'

const HOURS = { h: 1, d: 24 } as const
const HOUR_MS = 3_600_000
/** Clocks of clients that are ahead by less than this still count as now. */
const AHEAD_MS = 2 * HOUR_MS

/** A condition of a list. */
interface Condition {
  field: string
  operator: 'eq' | 'gte' | 'lt'
  value: string
}

/** The parameters by which a list shows a view. */
export interface ViewParams {
  query?: string
  filters: Condition[]
  orderBy?: { column: string; direction: 'ASC' | 'DESC' }
}

/** Returns the parameters of a list that show a view, with a query that must hold too. */
export const paramsOfView = (view: View, query?: string, now = Date.now()): ViewParams => {
  const queries = [view.query, query ?? ''].filter((one) => one.trim() !== '')
  const isOfWork = view.subject !== 'SCORES' && view.subject !== 'USERS'
  return {
    ...(queries.length === 0 ? {} : { query: queries.map((one) => `(${one})`).join(' ') }),
    filters: [
      ...(view.environment === null
        ? []
        : [{ field: 'environment', operator: 'eq' as const, value: view.environment }]),
      ...conditionsOfRange(view.range, isOfWork ? 'startedAt' : 'createdAt', now),
    ],
    ...(view.orderColumn === null
      ? {}
      : { orderBy: { column: view.orderColumn, direction: view.orderDirection ?? 'DESC' } }),
  }
}

/** Returns the conditions of a length up to now, or of two moments of which one may be missing. */
const conditionsOfRange = (range: string | null, field: string, now: number): Condition[] => {
  if (range === null) return []
  const [, number, unit] = /^(\d{1,5})([hd])$/.exec(range) ?? []
  const at = (operator: 'gte' | 'lt', ms: number): Condition[] =>
    Number.isNaN(ms) ? [] : [{ field, operator, value: new Date(ms).toISOString() }]
  if (number !== undefined) {
    const hours = Number(number) * HOURS[unit as keyof typeof HOURS]
    return [...at('gte', now - hours * HOUR_MS), ...at('lt', now + AHEAD_MS)]
  }
  const [from = '', to = ''] = range.split('..')
  return [...at('gte', Date.parse(from)), ...at('lt', Date.parse(to))]
}
