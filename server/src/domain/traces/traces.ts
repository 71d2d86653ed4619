import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import type { Clock } from '../../kernel/instant.js'
import { claimTraces, findTraces, type TraceClaim } from '../../storage/ingestion/traces.js'
import { AT_ONCE } from '../threads/portions.js'
import { assignUsers, type TraceUser } from './assigning.js'
import { settle } from './moving.js'

export type { TraceClaim } from '../../storage/ingestion/traces.js'
export type { TraceUser } from './assigning.js'

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
  readonly #atOnce: number

  /** `atOnce` is the number of steps that change in one transaction; more of them go ahead, in portions. */
  constructor(db: Database, clock: Clock, atOnce = AT_ONCE) {
    this.#db = db
    this.#clock = clock
    this.#atOnce = atOnce
  }

  /** Notes the conversations of traces. */
  async claim({ projectId }: Caller, claims: readonly TraceClaim[]): Promise<void> {
    if (claims.length > 0) await claimTraces(this.#db, projectId, claims)
  }

  /** Stores the users of traces with their threads. */
  async assignUsers(caller: Caller, users: readonly TraceUser[]): Promise<void> {
    if (users.length > 0) await assignUsers(this.#db, this.#clock, caller, users, this.#atOnce)
  }

  /** Returns those of some traces that belong to a conversation, or have a user. */
  async find({ projectId }: Caller, ids: readonly string[]): Promise<ReadonlyMap<string, Trace>> {
    const found = await findTraces(this.#db, projectId, ids)
    return new Map(found.map(({ id, threadId, isSettled }) => [id, { threadId, isSettled }]))
  }

  /**
   * Moves the steps of traces to the threads of their conversations. Threads in which nothing is left are deleted. Reads
   * whole traces: for those that are not settled only.
   */
  async settle(caller: Caller, ids: readonly string[]): Promise<void> {
    await settle(this.#db, this.#clock, caller, ids, this.#atOnce)
  }
}
