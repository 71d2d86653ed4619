import type { AuditAction, AuditActorKind, AuditSubjectKind } from '../../../generated/resolvers.js'
import type { Database } from '../../database/database.js'
import { cast } from '../../database/rows/columns.js'
import { pick, type RowOf, select, sql } from '../../database/rows/sql.js'
import { auditEntries as entries } from '../../database/rows/tables.js'
import { valuesOf } from '../../database/rows/writes.js'
import {
  byValue,
  creation,
  type Field,
  indexed,
  positive,
  startOf,
  string,
} from '../../lists/fields.js'
import { fieldsOf, type Listing, type OrdersOf } from '../../lists/listing.js'
import { digestOf } from './subject-id.js'

/** More about an action: names and numbers, and never contents. */
export type AuditDetails = Readonly<Record<string, string | number | boolean | readonly string[]>>

const columns = select({
  ...pick(
    entries,
    'id',
    'createdAt',
    'actorId',
    'actorName',
    'subjectId',
    'subjectName',
    'fields',
    'requestId',
  ),
  action: entries.action.narrow<AuditAction>(),
  actorKind: entries.actorKind.narrow<AuditActorKind>(),
  subjectKind: entries.subjectKind.narrow<AuditSubjectKind>(),
  details: entries.details.narrow<AuditDetails>(),
})

export type AuditEntryRow = RowOf<typeof columns>

/** Adds an entry to the audit log. Needs the transaction of what it tells. */
export const insertEntry = async (
  db: Database,
  projectId: string,
  entry: Omit<AuditEntryRow, 'createdAt'>,
): Promise<void> => {
  await sql`INSERT INTO audit_entries ${valuesOf('audit_entries', { projectId, ...entry })}`.execute(
    db,
  )
}

const plainSubject = string(entries.subjectId)

/** Compares an id with those that the log has, and its digest with those that it has the digests of. */
const subject: Field<'string'> = {
  kind: 'string',
  criterion: (given) => {
    const { condition, isNegated } = positive(given)
    if (condition.operator !== 'eq') return plainSubject.criterion(given)
    const id = String(condition.value)
    const test = sql`coalesce(${entries.subjectId} = ANY(${[id, digestOf(id)]}::text[]), false)`
    if (isNegated) return { test: sql`NOT ${test}` }
    const start = startOf(cast('text', sql`${id}`))
    return {
      test,
      indexHint: {
        test: sql`${startOf(entries.subjectId)} = ANY(ARRAY[${start}, ${digestOf(id)}::text])`,
        isExact: false,
      },
    }
  },
}

export const auditEntryListing: Listing<AuditEntryRow> = {
  name: 'auditEntries',
  table: sql`audit_entries`,
  alias: sql`audit_entries`,
  columns,
  id: entries.id,
  projectId: entries.projectId,
  createdAt: entries.createdAt,
  fields: fieldsOf('auditEntries', {
    action: indexed(string(entries.action), byValue(entries.action)),
    actorKind: indexed(string(entries.actorKind), (condition) =>
      condition.value === 'KEY' ? undefined : byValue(entries.actorKind)(condition),
    ),
    actorId: indexed(string(entries.actorId), byValue(entries.actorId)),
    actorName: string(entries.actorName),
    subjectKind: string(entries.subjectKind),
    subjectId: subject,
    subjectName: string(entries.subjectName),
    requestId: indexed(string(entries.requestId), byValue(entries.requestId)),
    createdAt: creation(entries.createdAt),
    id: indexed(string(entries.id), byValue(entries.id)),
  }),
  orders: {
    createdAt: { value: entries.createdAt, type: 'timestamptz', isIndexed: true },
  } satisfies OrdersOf<'auditEntries'>,
}
