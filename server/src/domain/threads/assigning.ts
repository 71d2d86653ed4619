import type { Database } from '../../database/database.js'
import { inAttempts } from '../../database/transactions/attempts.js'
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
  const ids = changes.map(({ id }) => id)
  const stored = await findThreads(db, projectId, ids)
  const named = new Map(changes.map(({ id, participant }) => [id, participant]))
  // Steps that came since are not in the sums.
  const candidates = stored.filter(
    ({ id, participantId, stale, stepCount }) =>
      named.get(id) !== participantId && (stale || stepCount > AT_ONCE),
  )
  if (candidates.length === 0) return
  const large = await findLarge(
    db,
    projectId,
    candidates.map(({ id }) => id),
  )
  for (const thread of candidates) {
    if (!large.has(thread.id) || !check(thread)) continue
    const participantId = await idOf(db, clock, projectId, named.get(thread.id) ?? null)
    if (participantId !== thread.participantId)
      await assign(db, projectId, thread.id, participantId)
  }
}

/** Returns those of some threads that have more steps than are changed at once. Reads no more than these of each. */
const findLarge = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
): Promise<Set<string>> => {
  const most = ids.length * AT_ONCE
  const counts = await countStepsOfThreads(db, projectId, ids, most + 1)
  const counted = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const large = new Set(ids.filter((id) => (counts.get(id) ?? 0) > AT_ONCE))
  if (counted <= most) return large
  // The steps of some fill the answer, and others are missing.
  for (const id of ids)
    if ((await findStepsOfThreads(db, projectId, [id], AT_ONCE + 1)).length > AT_ONCE) large.add(id)
  return large
}

const idOf = async (
  db: Database,
  clock: Clock,
  projectId: string,
  name: string | null,
): Promise<string | null> => {
  if (name === null) return null
  const ids = await inAttempts(() =>
    db
      .transaction()
      .execute((transaction) => participantsOf(transaction, clock, projectId, new Set([name]))),
  )
  return ids.get(name) ?? null
}

/** Goes once over the steps: of two that give a thread to different users, neither waits for the other to end. */
const assign = async (
  db: Database,
  projectId: string,
  threadId: string,
  participantId: string | null,
): Promise<void> => {
  const steps = await findStepsOfThreads(db, projectId, [threadId])
  await inPortions(db, async (transaction, most, from) => {
    const isKept =
      participantId === null ||
      (await keepParticipants(transaction, projectId, [participantId])).length > 0
    if (!isKept || (await lockThread(transaction, projectId, threadId)) === undefined) return false
    const ids = steps.slice(from, from + most)
    await assignSteps(transaction, projectId, [{ threadId, participantId }], ids)
    return from + most < steps.length
  })
}
