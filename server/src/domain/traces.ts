import type { Database } from '../database/database.js'
import { inAttempts } from '../database/transactions/attempts.js'
import type { Caller } from '../kernel/caller.js'
import type { Clock } from '../kernel/instant.js'
import { keepParticipants } from '../storage/erasure/notes.js'
import {
  assignParticipants,
  lockThreads,
  updateThreads,
} from '../storage/ingestion/thread-batch.js'
import {
  claimTraces,
  claimUsers,
  deleteEmptyThreads,
  findThreadsToLeave,
  findTraces,
  findUsersOfTraces,
  forgetUsersOfTraces,
  moveTraces,
  settleTraces,
  type TraceClaim,
} from '../storage/ingestion/traces.js'
import { findThreads, markStale } from '../storage/threads.js'
import { participantsOf } from './ingestion/participants.js'
import { noteForJudges } from './judges/awaiting.js'

export type { TraceClaim } from '../storage/ingestion/traces.js'

/** The thread of a trace, and whether all of its steps that were stored before are there. */
export interface Trace {
  threadId: string
  isSettled: boolean
}

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
 * Traces of OpenTelemetry that belong to a conversation. The spans of a trace come in any number of requests, in any
 * order, and each may name the conversation of all. So a request notes what its spans name, stores its steps, and then
 * looks again: the steps of traces that are not settled move. Whichever of two concurrent requests looks last moves
 * those of both.
 */
export class Traces {
  readonly #db: Database
  readonly #clock: Clock

  constructor(db: Database, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Notes the conversations of traces. */
  async claim({ projectId }: Caller, claims: readonly TraceClaim[]): Promise<void> {
    if (claims.length > 0) await claimTraces(this.#db, projectId, claims)
  }

  /**
   * Stores the users of traces with their threads. A trace is locked from the moment at which its user is noted until its thread
   * has it: of concurrent requests, the one with the lower rank decides, whichever comes first.
   */
  async assignUsers(
    { projectId, environment }: Caller,
    users: readonly TraceUser[],
  ): Promise<void> {
    if (users.length === 0) return
    await inAttempts(() =>
      this.#db.transaction().execute(async (transaction) => {
        // Before anything is locked: creating a participant may have to wait.
        const names = new Set(users.map(({ identifier }) => identifier))
        const ids = await participantsOf(transaction, this.#clock, projectId, names)
        const ofTraces = users
          .toSorted((one, other) => (one.start < other.start ? -1 : 1))
          .flatMap(({ id, identifier, rank }) => {
            const participantId = ids.get(identifier)
            return participantId === undefined ? [] : [{ id, participantId, userRank: rank }]
          })
        await forgetDeletedUsers(transaction, projectId, ofTraces, new Set(ids.values()))
        const noted = await claimUsers(transaction, projectId, ofTraces)
        if (noted.length === 0) return
        const threadOf = new Map(noted.map(({ id, threadId }) => [id, threadId]))
        const ofThreads = new Map<string, string>()
        for (const { id, participantId } of ofTraces) {
          const threadId = threadOf.get(id)
          if (threadId !== undefined) ofThreads.set(threadId, participantId)
        }
        const locked = await lockThreads(
          transaction,
          projectId,
          [...ofThreads.keys()].sort().map((id) => ({ id, environment, createdAt: this.#clock() })),
        )
        const changes = locked.flatMap(({ id, participantId: before }) => {
          const participantId = ofThreads.get(id)
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
        await noteForJudges(transaction, { threads: changes.map(({ id }) => ({ projectId, id })) })
      }),
    )
  }

  /** Returns those of some traces that belong to a conversation, or have a user. */
  async find({ projectId }: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, Trace>> {
    const found = await findTraces(this.#db, projectId, ids)
    return new Map(found.map(({ id, ...trace }) => [id, trace]))
  }

  /**
   * Moves the steps of traces to the threads of their conversations. Threads in which nothing is left are deleted. Reads
   * whole traces: for those that are not settled only.
   */
  async settle({ projectId, environment }: Caller, ids: readonly string[]): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      // Before anything is locked, as elsewhere.
      const users = new Set(
        await keepParticipants(
          transaction,
          projectId,
          await findUsersOfTraces(transaction, projectId, ids),
        ),
      )
      const traces = await settleTraces(transaction, projectId, ids)
      const left = await findThreadsToLeave(transaction, projectId, traces)
      // A step that came again has moved by itself, and may have left nothing behind.
      const before = traces.flatMap(({ id, threadId, leftIds }) =>
        [id, ...leftIds].filter((one) => one !== threadId),
      )
      const known = await findThreads(transaction, projectId, before)
      const from = [
        ...new Set([...left.map(({ threadId }) => threadId), ...known.map(({ id }) => id)]),
      ]
      if (from.length === 0) return
      const leaves = new Set([...left.map(({ traceId }) => traceId), ...from])
      const moves = traces.filter(({ id }) => leaves.has(id))
      const threads = new Set([...from, ...moves.map(({ threadId }) => threadId)])
      const locked = await lockThreads(
        transaction,
        projectId,
        [...threads].sort().map((id) => ({ id, environment, createdAt: this.#clock() })),
      )
      const participants = new Map(locked.map(({ id, participantId }) => [id, participantId]))
      // The user that a trace's own thread has is that of the trace, if no span names one.
      const changes = moves.flatMap(({ id, threadId, participantId: named }) => {
        const participantId =
          named !== null && users.has(named) ? named : (participants.get(id) ?? null)
        if (participantId === null || participants.get(threadId) !== null) return []
        participants.set(threadId, participantId)
        return [{ id: threadId, participantId }]
      })
      await updateThreads(transaction, projectId, changes)
      await moveTraces(
        transaction,
        projectId,
        moves.map((move) => ({ ...move, participantId: participants.get(move.threadId) ?? null })),
        from,
      )
      await assignParticipants(
        transaction,
        projectId,
        changes.map(({ id, participantId }) => ({ threadId: id, participantId, before: null })),
      )
      await deleteEmptyThreads(transaction, projectId, from, ids)
      await markStale(transaction, projectId, [...threads])
    })
  }
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
