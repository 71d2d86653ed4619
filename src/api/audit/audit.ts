import type { AuditEntriesColumn } from '../../../generated/filters.js'
import {
  type AuditEntryFieldsFragment,
  GetAuditEntriesDocument,
} from '../../../generated/operations.js'
import type {
  AuditAction as SchemaAction,
  AuditEntry as SchemaEntry,
} from '../../../generated/schema.js'
import type { AuditEntriesFilter, OrderBy } from '../../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../../lists/pagination.js'
import type { Transport } from '../../transport/transport.js'

/** An entry of the audit log: who did what, when. */
export type AuditEntry = Pick<SchemaEntry, keyof AuditEntryFieldsFragment>
/** The kind of an action that the audit log notes. */
export type AuditAction = SchemaAction

export interface GetAuditEntriesParams extends PageParams {
  /** Conditions that must all hold. When omitted, all entries pass. */
  filters?: AuditEntriesFilter[] | undefined
  /** The order of the list. Default: the newest first. */
  orderBy?: OrderBy<AuditEntriesColumn> | undefined
}

export const auditApi = ({ call }: Transport) => {
  const getAuditEntries = createList(async (params: GetAuditEntriesParams) =>
    toPage<AuditEntry>((await call(GetAuditEntriesDocument, params)).auditEntries),
  )
  return {
    /**
     * Lists who did what in the project, the newest first. `getAuditEntries.all()` walks over all of it.
     *
     * @returns a page; an empty one when no entry passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @scope `admin`
     * @example
     * const { data } = await stepwell.api.getAuditEntries({
     *   filters: [{ field: 'action', operator: 'eq', value: 'REVOKE_KEY' }],
     * })
     * for (const { createdAt, actorName, subjectName } of data) console.log(createdAt, actorName, subjectName)
     */
    getAuditEntries,
    /**
     * Lists who did what in the project; `getAuditEntries` in the other spelling.
     *
     * @returns a page; an empty one when no entry passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @scope `admin`
     * @example
     * const { data } = await stepwell.api.get_audit_entries({ first: 100 })
     * for (const { created_at, actor_name, action } of data) console.log(created_at, actor_name, action)
     */
    get_audit_entries: createSnakeList(getAuditEntries, 'AuditEntry'),
  }
}
