import type { Database } from '../database/database.js'
import type { Caller } from '../kernel/caller.js'
import type { Clock } from '../kernel/instant.js'
import {
  assignParticipants,
  lockThreads,
  updateThreads,
} from '../storage/ingestion/thread-batch.js'
import {
  claimTraces,
  deleteEmptyThreads,
  findThreadsToLeave,
  findTraces,
  moveTraces,
  settleTraces,
  type TraceClaim,
} from '../storage/ingestion/traces.js'
import { findThreads, markStale } from '../storage/threads.js'

export type { TraceClaim } from '../storage/ingestion/traces.js'

/** The thread of a trace, and whether all of its steps that were stored before are there. */
export interface Trace {
  threadId: string
  isSettled: boolean
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

  /** Returns those of some traces that belong to a conversation. */
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
      // The user that a trace's own thread has is that of the trace.
      const changes = moves.flatMap(({ id, threadId }) => {
        const participantId = participants.get(id) ?? null
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
