import { LIST_FIELDS } from '../../../../generated/list-fields.js'
import type { AuditTableQuery } from '../../../../generated/operations.js'
import { choiceNotices, noticeOf } from '../../../address/notices.js'
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

export const ACTIONS: readonly string[] = LIST_FIELDS.auditEntries.action.values
const KINDS: readonly string[] = LIST_FIELDS.auditEntries.actorKind.values
/** The kinds of actors to choose; keys are chosen one by one. */
export const ACTORS: Readonly<Record<string, string>> = {
  PERSON: 'people',
  OPERATOR: 'the operator',
  SERVICE: 'the service',
}

const isKey = (actor: string) => actor.startsWith('key:')

const dayNotices = (name: string, day: string, instead: string) =>
  day === '' || startOfDay(day) !== undefined
    ? []
    : [noticeOf(name, day, 'a day such as 2026-11-21', instead)]

/** Names conditions of an address that say nothing. */
export const conditionNotices = ({ action, actor, from, to }: Conditions): readonly string[] => [
  ...choiceNotices('action', action || undefined, ACTIONS, 'These are all actions.'),
  ...(isKey(actor)
    ? []
    : choiceNotices(
        'actor',
        actor || undefined,
        [...KINDS, 'key: and the id of a key'],
        'This is what anyone did.',
      )),
  ...dayNotices('first day', from, 'The log goes back to its beginning.'),
  ...dayNotices('last day', to, 'The log goes on until now.'),
]

/** Returns the conditions as filters of the list, without those that say nothing. The last day counts. */
export const filtersOf = ({ action, actor, from, to }: Conditions) => {
  const filter = (field: string, operator: string, value: string | undefined) =>
    value === undefined || value === '' ? [] : [{ field, operator, value }]
  return [
    ...filter('action', 'eq', ACTIONS.includes(action) ? action : undefined),
    ...(isKey(actor)
      ? filter('actorId', 'eq', actor.slice('key:'.length))
      : filter('actorKind', 'eq', KINDS.includes(actor) ? actor : undefined)),
    ...filter('createdAt', 'gte', startOfDay(from)?.toISOString()),
    ...filter('createdAt', 'lt', startOfDay(to, 1)?.toISOString()),
  ]
}
