import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import type { Clock } from '../../kernel/instant.js'
import { keepParticipants } from '../../storage/erasure/notes.js'
import {
  assignParticipants,
  assignSteps,
  lockThreads,
  updateThreads,
} from '../../storage/ingestion/thread-batch.js'
import {
  claimUsers,
  findTraces,
  findUsersOfTraces,
  forgetUsersOfTraces,
  type UserClaim,
} from '../../storage/ingestion/traces.js'
import { findThreads } from '../../storage/threads.js'
import { participantsOf } from '../ingestion/participants.js'
import { noteForJudges } from '../judges/awaiting.js'
import { assignInPortions, findLarge, idsOf } from '../threads/assigning.js'

/** The user that a span names for its trace. */
export interface TraceUser {
  /** Of the trace. */
  id: string
  identifier: string
  /** Of several spans, the one with the lowest rank, in the order of bytes, decides. */
  rank: string
  /** The start of the span. Of several traces of a thread, the latest decides. */
  start: bigint
}

/** A thread whose steps are too many to change with it, and the claim that changes it. */
interface LargeChange {
  id: string
  claim: UserClaim & { identifier: string }
}

/** Ends the transaction that found large changes. */
class FoundLarge extends Error {
  readonly changes: readonly LargeChange[]

  constructor(changes: readonly LargeChange[]) {
    super('threads are too large to change in one transaction')
    this.changes = changes
  }
}

/** Stores the users of traces with their threads in one transaction, unless some are large: then their steps go ahead. */
export const assignUsers = async (
  db: Database,
  clock: Clock,
  caller: Caller,
  users: readonly TraceUser[],
  atOnce: number,
): Promise<void> => {
  const ahead = new Set<string>()
  for (;;)
    try {
      return await assignAtOnce(db, clock, caller, users, ahead, atOnce)
    } catch (error) {
      if (!(error instanceof FoundLarge)) throw error
      // Each thread once: the transaction that comes next finds few of its steps left.
      await goAhead(db, clock, caller, error.changes)
      for (const { id } of error.changes) ahead.add(id)
    }
}

const goAhead = async (
  db: Database,
  clock: Clock,
  { projectId }: Caller,
  changes: readonly LargeChange[],
): Promise<void> => {
  // New users ended with the transaction that created them.
  const names = changes.map(({ claim }) => claim.identifier)
  const ids = await idsOf(db, clock, projectId, names)
  for (const { id, claim } of changes) {
    const participantId = ids.get(claim.identifier)
    if (participantId === undefined) continue
    await assignInPortions(db, projectId, id, participantId, async (transaction) => {
      // Another request may have noted a better claim since, and has changed the thread.
      const [trace] = await findTraces(transaction, projectId, [claim.id])
      return trace?.userRank == null || claim.userRank < trace.userRank
    })
  }
}

/**
 * Stores the users of traces with their threads. A trace is locked from the moment at which its user is noted until its thread
 * has it: of concurrent requests, the one with the lower rank decides, whichever comes first. Throws `FoundLarge`, and changes
 * nothing, when threads that did not go ahead have more steps than `atOnce`.
 */
const assignAtOnce = (
  db: Database,
  clock: Clock,
  { projectId, environment }: Caller,
  users: readonly TraceUser[],
  ahead: ReadonlySet<string>,
  atOnce: number,
): Promise<void> =>
  inTransaction(db, async (transaction) => {
    // Before anything is locked: creating a participant may have to wait.
    const names = new Set(users.map(({ identifier }) => identifier))
    const ids = await participantsOf(transaction, clock, projectId, names)
    const ofTraces = users
      .toSorted((one, other) => (one.start < other.start ? -1 : 1))
      .flatMap(({ id, identifier, rank }) => {
        const participantId = ids.get(identifier)
        return participantId === undefined
          ? []
          : [{ id, identifier, participantId, userRank: rank }]
      })
    await forgetDeletedUsers(transaction, projectId, ofTraces, new Set(ids.values()))
    const noted = await claimUsers(transaction, projectId, ofTraces)
    const threadOf = new Map(noted.map(({ id, threadId }) => [id, threadId]))
    const ofThreads = new Map<string, LargeChange['claim']>()
    for (const claim of ofTraces) {
      const threadId = threadOf.get(claim.id)
      if (threadId !== undefined) ofThreads.set(threadId, claim)
    }
    const goneAhead = ahead.size === 0 ? [] : await findThreads(transaction, projectId, [...ahead])
    const threadIds = [...new Set([...ofThreads.keys(), ...goneAhead.map(({ id }) => id)])].sort()
    if (threadIds.length === 0) return
    const locked = await lockThreads(
      transaction,
      projectId,
      threadIds.map((id) => ({ id, environment, createdAt: clock() })),
    )
    const changes = locked.flatMap(({ id, participantId: before }) => {
      const claim = ofThreads.get(id)
      return claim === undefined || claim.participantId === before
        ? []
        : [{ id, participantId: claim.participantId, before, claim }]
    })
    const fresh = changes.filter(({ id }) => !ahead.has(id))
    const large = await findLarge(
      transaction,
      projectId,
      fresh.map(({ id }) => id),
      atOnce,
    )
    if (large.size > 0) throw new FoundLarge(fresh.filter(({ id }) => large.has(id)))
    await updateThreads(
      transaction,
      projectId,
      changes.map(({ id, participantId }) => ({ id, participantId })),
    )
    await assignParticipants(
      transaction,
      projectId,
      changes.map(({ id, participantId, before }) => ({ threadId: id, participantId, before })),
    )
    // Steps that went ahead for a claim that another one has beaten meanwhile go back.
    const changed = new Set(changes.map(({ id }) => id))
    const unchanged = locked.filter(({ id }) => ahead.has(id) && !changed.has(id))
    if (unchanged.length > 0)
      await assignSteps(
        transaction,
        projectId,
        unchanged.map(({ id, participantId }) => ({ threadId: id, participantId })),
      )
    await noteForJudges(transaction, { threads: changes.map(({ id }) => ({ projectId, id })) })
  })

/** Removes the users of traces that were deleted since: their names count for nothing any more. */
const forgetDeletedUsers = async (
  db: Database,
  projectId: string,
  traces: readonly { id: string }[],
  known: ReadonlySet<string>,
): Promise<void> => {
  const ids = traces.map(({ id }) => id)
  const named = (await findUsersOfTraces(db, projectId, ids)).filter((one) => !known.has(one))
  if (named.length === 0) return
  const kept = new Set(await keepParticipants(db, projectId, named))
  const gone = named.filter((one) => !kept.has(one))
  if (gone.length > 0) await forgetUsersOfTraces(db, projectId, ids, gone)
}
