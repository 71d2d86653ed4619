import type { Database } from '../../database/database.js'
import { inAttempts } from '../../database/transactions/attempts.js'
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
} from '../../storage/ingestion/traces.js'
import { findThreads } from '../../storage/threads.js'
import { participantsOf } from '../ingestion/participants.js'
import { noteForJudges } from '../judges/awaiting.js'
import { assignAhead } from '../threads/assigning.js'

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

/**
 * Stores the users of traces with their threads. A trace is locked from the moment at which its user is noted until its thread
 * has it: of concurrent requests, the one with the lower rank decides, whichever comes first.
 */
export const assignUsers = async (
  db: Database,
  clock: Clock,
  caller: Caller,
  users: readonly TraceUser[],
  atOnce: number,
): Promise<void> => {
  const { projectId, environment } = caller
  const inOrder = users.toSorted((one, other) => (one.start < other.start ? -1 : 1))
  const ahead = await assignLargeAhead(db, clock, projectId, inOrder, atOnce)
  await inAttempts(() =>
    db.transaction().execute(async (transaction) => {
      // Before anything is locked: creating a participant may have to wait.
      const names = new Set(users.map(({ identifier }) => identifier))
      const ids = await participantsOf(transaction, clock, projectId, names)
      const ofTraces = inOrder.flatMap(({ id, identifier, rank }) => {
        const participantId = ids.get(identifier)
        return participantId === undefined ? [] : [{ id, participantId, userRank: rank }]
      })
      await forgetDeletedUsers(transaction, projectId, ofTraces, new Set(ids.values()))
      const noted = await claimUsers(transaction, projectId, ofTraces)
      const threadOf = new Map(noted.map(({ id, threadId }) => [id, threadId]))
      const ofThreads = lastOfThreads(ofTraces, ({ id }) => threadOf.get(id))
      const goneAhead =
        ahead.size === 0 ? [] : await findThreads(transaction, projectId, [...ahead])
      const threadIds = [...new Set([...ofThreads.keys(), ...goneAhead.map(({ id }) => id)])].sort()
      if (threadIds.length === 0) return
      const locked = await lockThreads(
        transaction,
        projectId,
        threadIds.map((id) => ({ id, environment, createdAt: clock() })),
      )
      const changes = locked.flatMap(({ id, participantId: before }) => {
        const participantId = ofThreads.get(id)?.participantId
        return participantId === undefined || participantId === before
          ? []
          : [{ id, participantId, before }]
      })
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
    }),
  )
}

/**
 * Assigns the steps of large threads to users whose claims are going to be noted, in portions. Returns the threads. Each portion
 * looks again whether the claim is still the best one: another request's may be noted in between.
 */
const assignLargeAhead = async (
  db: Database,
  clock: Clock,
  projectId: string,
  users: readonly TraceUser[],
  atOnce: number,
): Promise<ReadonlySet<string>> => {
  const threadsOf = async (transaction: Database, claims: readonly TraceUser[]) => {
    const ids = claims.map(({ id }) => id)
    const found = await findTraces(transaction, projectId, ids)
    const traces = new Map(found.map((trace) => [trace.id, trace]))
    return lastOfThreads(claims, ({ id, rank }) => {
      const { threadId = id, userRank = null } = traces.get(id) ?? {}
      return userRank === null || rank < userRank ? threadId : undefined
    })
  }
  const claims = await threadsOf(db, users)
  return assignAhead(
    db,
    clock,
    projectId,
    [...claims].map(([id, { identifier }]) => ({ id, participant: identifier })),
    {
      atOnce,
      isStill: async (transaction, id) => {
        const claim = claims.get(id)
        return claim !== undefined && (await threadsOf(transaction, [claim])).has(id)
      },
    },
  )
}

/** Returns the last of some claims for each thread. Claims without a thread are left out. */
const lastOfThreads = <Claim>(
  claims: readonly Claim[],
  threadOf: (claim: Claim) => string | undefined,
): Map<string, Claim> => {
  const last = new Map<string, Claim>()
  for (const claim of claims) {
    const threadId = threadOf(claim)
    if (threadId !== undefined) last.set(threadId, claim)
  }
  return last
}

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
