import type { AuditTableQuery } from '../../../../generated/operations.js'
import { startOfDay } from '../../../format/local-time.js'

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
  /** Days, such as `2026-11-21`, in the zone of shown times. */
  from: string
  to: string
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
    ...filter('createdAt', 'gte', startOfDay(from)?.toISOString()),
    ...filter('createdAt', 'lt', startOfDay(to, 1)?.toISOString()),
  ]
}
