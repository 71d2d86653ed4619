import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { sql } from '../../database/rows/sql.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import { deleteStepsWhere } from '../../storage/erasure/portions.js'
import { findStepsOfThreads } from '../../storage/retention/due.js'
import { deleteThread } from '../../storage/threads.js'
import { type Action, actorOf, noteFor } from '../audit/entry.js'
import { concludeRun, noteInRun, type Run } from '../audit/runs.js'
import { handOnFromSteps } from '../erasure/handing-on.js'
import { AT_ONCE, inPortions } from './portions.js'

/**
 * Deletes a thread. Of a large one, steps go first, in small transactions between which others get their turn, and the
 * thread with the last of them: it never comes back, and when the process ends in between, another deletion finds the
 * rest. Returns null when there is no such thread.
 */
export const deleteThreadInPortions = async (
  db: Database,
  caller: Caller,
  id: string,
): Promise<{ id: string } | null> => {
  const { projectId } = caller
  const action: Action = { action: 'DELETE_THREAD', on: 'THREAD', id }
  const isLarge = async (within: Database) =>
    (await findStepsOfThreads(within, projectId, [id], AT_ONCE + 1)).length > AT_ONCE
  if (!(await isLarge(db))) return deleteRest(db, caller, action, id)
  const run: Run = { projectId, id: randomUUID(), actor: actorOf(caller), action }
  try {
    await inPortions(db, async (transaction, most) => {
      await deleteSome(transaction, run, id, most)
      return isLarge(transaction)
    })
    return await deleteRest(db, caller, action, id, run)
  } catch (error) {
    // Notes what was done until then. Where even this fails, the run counts as ended later.
    await concludeRun(db, projectId, run.id).catch(() => undefined)
    throw error
  }
}

const deleteSome = async (
  db: Database,
  run: Run,
  threadId: string,
  most: number,
): Promise<void> => {
  const { projectId } = run
  const { steps } = await deleteStepsWhere(db, projectId, sql`s.thread_id = ${threadId}`, most)
  await handOnFromSteps(db, projectId, steps)
  await noteInRun(db, run, { steps: steps.length })
}

/** Deletes a thread with what is in it still. With a run, notes the number of steps there. */
const deleteRest = (
  db: Database,
  caller: Caller,
  action: Action,
  id: string,
  run?: Run,
): Promise<{ id: string } | null> =>
  inTransaction(db, async (transaction) => {
    const deleted = await deleteThread(transaction, caller.projectId, id)
    if (deleted !== undefined) {
      await handOnFromSteps(transaction, caller.projectId, deleted)
      const details = { steps: deleted.length }
      if (run === undefined) await noteFor(transaction, caller, { ...action, details })
      else await noteInRun(transaction, run, details)
    }
    if (run !== undefined) await concludeRun(transaction, caller.projectId, run.id)
    return deleted === undefined ? null : { id }
  })
