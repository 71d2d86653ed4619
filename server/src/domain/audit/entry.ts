import { randomUUID } from 'node:crypto'
import type { AuditAction, AuditActorKind, AuditSubjectKind } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import type { Person } from '../../kernel/caller.js'
import { currentRequest } from '../../kernel/watching/current-request.js'
import { type AuditDetails, type AuditEntryRow, insertEntry } from '../../storage/audit/entries.js'
import { subjectIdOf } from '../../storage/audit/subject-id.js'

/** Who acts: a kind, and the id and the name of one of that kind. */
export interface Actor {
  kind: AuditActorKind
  id: string | null
  name: string | null
}

/** Somebody who may use the machine of the service. */
export const OPERATOR: Actor = { kind: 'OPERATOR', id: null, name: null }
/** The service, by its settings and rules. */
export const SERVICE: Actor = { kind: 'SERVICE', id: null, name: null }

/** The parts of a caller that tell who acts. */
interface Acting {
  keyId: string
  keyName: string
  person?: Person | undefined
}

export const personActor = ({ id, name }: Person): Actor => ({ kind: 'PERSON', id, name })

/** Returns the actor of a request. */
export const actorOf = ({ keyId, keyName, person }: Acting): Actor =>
  person === undefined ? { kind: 'KEY', id: keyId, name: keyName } : personActor(person)

export interface Action {
  action: AuditAction
  on: AuditSubjectKind
  /** Omitted when the action is on several. */
  id?: string | undefined
  /** Never that of a thread, a step or a user: these may name people. */
  name?: string | undefined
  /** The names of the fields that changed. */
  fields?: readonly string[] | undefined
  details?: AuditDetails | undefined
}

const MAX_CHARACTERS = 200
const MAX_LISTED = 100

const short = (text: string): string =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS - 1)}…` : text

/** Shortens what applications and people chose. */
const shortDetails = (details: AuditDetails): AuditDetails =>
  Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? short(value)
        : Array.isArray(value)
          ? value.slice(0, MAX_LISTED).map(short)
          : value,
    ]),
  )

/** Returns the entry of an action, which the current request asked for, if any. */
export const entryOf = (
  actor: Actor,
  { action, on, id, name, fields, details }: Action,
): Omit<AuditEntryRow, 'createdAt'> => ({
  id: randomUUID(),
  action,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: actor.name,
  subjectKind: on,
  subjectId: id === undefined ? null : subjectIdOf(on, id),
  subjectName: name === undefined ? null : short(name),
  fields: [...(fields ?? [])],
  details: shortDetails(details ?? {}),
  requestId: currentRequest()?.id ?? null,
})

/** Notes an action in the audit log. Needs the transaction of the action: there is neither without the other. */
export const note = (
  transaction: Database,
  projectId: string,
  actor: Actor,
  action: Action,
): Promise<void> => insertEntry(transaction, projectId, entryOf(actor, action))

/** The same for the caller of an operation. */
export const noteFor = (
  transaction: Database,
  caller: Acting & { projectId: string },
  action: Action,
): Promise<void> => note(transaction, caller.projectId, actorOf(caller), action)

/** Returns the names of the fields that have another value afterwards. */
export const changedFields = (
  before: object | null | undefined,
  after: object | null | undefined,
): string[] => {
  const [old, now] = [before ?? {}, after ?? {}].map((row) => new Map(Object.entries(row)))
  return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].filter(
    (name) => JSON.stringify(old?.get(name) ?? null) !== JSON.stringify(now?.get(name) ?? null),
  )
}
