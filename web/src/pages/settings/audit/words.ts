import type { AuditTableQuery } from '../../../../generated/operations.js'

export type Entry = AuditTableQuery['auditEntries']['edges'][number]['node']

/** Returns a name of the schema as words: `SET_PROMPT_LABEL` as `set prompt label`. */
export const words = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

/** Returns who acted, by name. */
export const actorOf = ({ actorKind, actorName, actorId }: Entry): string =>
  actorKind === 'KEY' || actorKind === 'PERSON'
    ? (actorName ?? actorId ?? `a ${words(actorKind)}`)
    : `the ${words(actorKind)}`

/** Returns the numbers and names of an entry, and the fields that changed, in a line. */
export const detailsOf = ({ fields, details }: Entry): string => {
  const told = Object.entries((details ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : value}`,
  )
  return [...(fields.length === 0 ? [] : [`changed ${fields.join(', ')}`]), ...told].join('; ')
}

export interface Conditions {
  action: string
  /** The id of a key after `key:`, or a kind of actor. */
  actor: string
  /** Days, such as `2026-11-21`, at the place of the browser. */
  from: string
  to: string
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Returns the start of a day, or of the day after; undefined for what is no day. */
const startOf = (day: string, later = 0): string | undefined => {
  if (!DAY.test(day)) return undefined
  const date = new Date(`${day}T00:00`)
  date.setDate(date.getDate() + later)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Returns the conditions as filters of the list. The last day counts. */
export const filtersOf = ({ action, actor, from, to }: Conditions) => {
  const filter = (field: string, operator: string, value: string | undefined) =>
    value === undefined || value === '' ? [] : [{ field, operator, value }]
  return [
    ...filter('action', 'eq', action),
    ...(actor.startsWith('key:')
      ? filter('actorId', 'eq', actor.slice('key:'.length))
      : filter('actorKind', 'eq', actor)),
    ...filter('createdAt', 'gte', startOf(from)),
    ...filter('createdAt', 'lt', startOf(to, 1)),
  ]
}
