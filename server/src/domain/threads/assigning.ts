import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Clock } from '../../kernel/instant.js'
import { keepParticipants } from '../../storage/erasure/notes.js'
import { assignSteps, countStepsOfThreads } from '../../storage/ingestion/thread-batch.js'
import { findStepsOfThreads } from '../../storage/retention/due.js'
import { findThreads, lockThread, type ThreadRow } from '../../storage/threads.js'
import { participantsOf } from '../ingestion/participants.js'
import { AT_ONCE, inPortions } from './portions.js'

/** A change of a thread's user: an id or identifier, or null for nobody. */
export interface UserChange {
  id: string
  participant: string | null
}

/**
 * Assigns the steps of large threads to their new user, in small transactions between which others get their turn. The
 * transaction that changes a thread comes afterwards, and finds few steps left. When the process ends in between, the thread has
 * its user of before, so that the same change, sent again, is one.
 *
 * `check` throws, or returns false, for a thread whose change will be rejected.
 */
export const assignAhead = async (
  db: Database,
  clock: Clock,
  projectId: string,
  changes: readonly UserChange[],
  check: (stored: ThreadRow) => boolean,
): Promise<void> => {
  if (changes.length === 0) return
  const stored = await findThreads(
    db,
    projectId,
    changes.map(({ id }) => id),
  )
  const named = new Map(changes.map(({ id, participant }) => [id, participant]))
  const candidates = stored.filter(({ id, participantId }) => named.get(id) !== participantId)
  const isLarge = ({ stepCount }: ThreadRow) => stepCount > AT_ONCE
  // Steps that came since are not in the sums.
  const unknown = candidates.filter((thread) => thread.stale && !isLarge(thread))
  const found = await findLarge(
    db,
    projectId,
    unknown.map(({ id }) => id),
  )
  const large = candidates.filter((thread) => isLarge(thread) || found.has(thread.id)).filter(check)
  if (large.length === 0) return
  const ids = await idsOf(
    db,
    clock,
    projectId,
    large.map(({ id }) => named.get(id) ?? null),
  )
  for (const { id, participantId: before } of large) {
    const participantId = ids.get(named.get(id) ?? null) ?? null
    if (participantId !== before) await assignInPortions(db, projectId, id, participantId)
  }
}

/** Returns those of some threads that have more steps than are changed at once. Reads no more than these of each. */
export const findLarge = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  atOnce = AT_ONCE,
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const most = ids.length * atOnce
  const counts = await countStepsOfThreads(db, projectId, ids, most + 1)
  const counted = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const large = new Set(ids.filter((id) => (counts.get(id) ?? 0) > atOnce))
  if (counted <= most) return large
  // The steps of some fill the answer, and others are missing.
  for (const id of ids)
    if ((await findStepsOfThreads(db, projectId, [id], atOnce + 1)).length > atOnce) large.add(id)
  return large
}

/** Returns the ids of users by their names; nobody has none. */
export const idsOf = async (
  db: Database,
  clock: Clock,
  projectId: string,
  names: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, string>> => {
  const known = new Set(names.filter((name) => name !== null))
  if (known.size === 0) return new Map()
  return inTransaction(db, (transaction) => participantsOf(transaction, clock, projectId, known))
}

/**
 * Assigns the steps of a thread to a user. Goes once over them: of two that give a thread to different users, neither waits for
 * the other to end. `isStill` returns false when the change is none any more; it is asked while the thread is locked.
 */
export const assignInPortions = async (
  db: Database,
  projectId: string,
  threadId: string,
  participantId: string | null,
  isStill: (transaction: Database) => Promise<boolean> = async () => true,
): Promise<void> => {
  const steps = await findStepsOfThreads(db, projectId, [threadId])
  await inPortions(db, async (transaction, most, from) => {
    const isKept =
      participantId === null ||
      (await keepParticipants(transaction, projectId, [participantId])).length > 0
    if (!isKept || (await lockThread(transaction, projectId, threadId)) === undefined) return false
    if (!(await isStill(transaction))) return false
    const ids = steps.slice(from, from + most)
    await assignSteps(transaction, projectId, [{ threadId, participantId }], ids)
    return from + most < steps.length
  })
}
