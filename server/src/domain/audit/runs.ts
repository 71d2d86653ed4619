import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import { insertEntry } from '../../storage/audit/entries.js'
import {
  type AuditRunRow,
  beginRun,
  endRun,
  findQuietRuns,
  updateRun,
} from '../../storage/audit/runs.js'
import { type Action, type Actor, entryOf } from './entry.js'

/** Time after which a run that notes nothing counts as ended: its process was. */
const QUIET_SECONDS = 600
const ENDED_AT_ONCE = 100

/** A run of many transactions that is one action, such as the deletion of a person's data. */
export interface Run {
  projectId: string
  id: string
  actor: Actor
  action: Action
}

/**
 * Adds to the numbers of a run, in the transaction of what was done. At the end of the run they become one entry,
 * also when its process does not live to see it.
 */
export const noteInRun = async (
  transaction: Database,
  { projectId, id, actor, action }: Run,
  counts: Readonly<Record<string, number>>,
): Promise<void> => {
  const done = Object.entries(counts).filter(([, count]) => count > 0)
  if (done.length === 0) return
  const entry = entryOf(actor, action)
  const stored = await beginRun(transaction, { ...entry, projectId, id })
  const details = { ...stored.details }
  for (const [kind, count] of done) details[kind] = Number(details[kind] ?? 0) + count
  await updateRun(transaction, { ...stored, details })
}

/** Ends a run: what it has done becomes an entry. Without anything done there is none. */
export const concludeRun = (db: Database, projectId: string, id: string): Promise<void> =>
  inTransaction(db, async (transaction) => {
    const run = await endRun(transaction, projectId, id)
    if (run !== undefined) await insertEntry(transaction, projectId, ofRun(run))
  })

const ofRun = ({ projectId: _, ...run }: AuditRunRow) => ({ ...run, id: randomUUID() })

/** Ends runs of processes that ended in between. Returns false when there were none. */
export const concludeQuietRuns = async (
  db: Database,
  seconds = QUIET_SECONDS,
): Promise<boolean> => {
  const quiet = await findQuietRuns(db, seconds, ENDED_AT_ONCE)
  for (const { projectId, id } of quiet) await concludeRun(db, projectId, id)
  return quiet.length > 0
}
