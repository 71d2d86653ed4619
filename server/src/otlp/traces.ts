import { portionsOf } from '../database/portions.js'
import type { Domain } from '../domain/domain.js'
import type { Trace, TraceClaim, TraceUser } from '../domain/traces/traces.js'
import type { Caller } from '../kernel/caller.js'
import type { Turn } from '../kernel/sharing/turns.js'

/** Items that one statement takes. */
const AT_ONCE = { mostRows: 2000, mostWeight: 16_000_000 }
/** Users whose threads one transaction changes. */
const USERS_AT_ONCE = {
  mostRows: 500,
  mostWeight: 2_000_000,
  weigh: ({ identifier }: TraceUser) => 200 + identifier.length,
}

interface OfTrace {
  traceId: string
}

/** The conversations of the traces of a request: where its steps belong, before and after they are stored. */
export class Conversations {
  readonly #domain: Domain
  readonly #caller: Caller
  readonly #turn: Turn
  readonly #traces: readonly { id: string }[]
  #found: ReadonlyMap<string, Trace> = new Map()

  constructor(domain: Domain, caller: Caller, items: readonly OfTrace[], turn: Turn) {
    this.#domain = domain
    this.#caller = caller
    this.#turn = turn
    this.#traces = [...new Set(items.map(({ traceId }) => traceId))].map((id) => ({ id }))
  }

  /** Notes the conversations that a request names, and looks up those of all of its traces. */
  async claim(claims: readonly TraceClaim[]): Promise<void> {
    for (const some of portionsOf(claims, AT_ONCE)) {
      await this.#turn()
      await this.#domain.traces.claim(this.#caller, some)
    }
    this.#found = await this.#find()
  }

  /** Stores the users that a request names with the threads of their traces. */
  async assign(users: readonly TraceUser[]): Promise<void> {
    for (const some of portionsOf(users, USERS_AT_ONCE)) {
      await this.#turn()
      await this.#domain.traces.assignUsers(this.#caller, some)
    }
  }

  /** Returns true when a trace belongs to a conversation. */
  has(traceId: string): boolean {
    return this.threadOf({ traceId }) !== traceId
  }

  threadOf({ traceId }: OfTrace): string {
    return this.#found.get(traceId)?.threadId ?? traceId
  }

  /**
   * Moves the traces whose steps are elsewhere: those that were named now, and those that another request has named
   * meanwhile.
   */
  async settle(): Promise<void> {
    const moving = [...(await this.#find())]
      .filter(
        ([id, trace]) => !trace.isSettled || this.threadOf({ traceId: id }) !== trace.threadId,
      )
      .map(([id]) => ({ id }))
    for (const some of portionsOf(moving, AT_ONCE)) {
      await this.#turn()
      await this.#domain.traces.settle(
        this.#caller,
        some.map(({ id }) => id),
      )
    }
  }

  async #find(): Promise<ReadonlyMap<string, Trace>> {
    const found: [string, Trace][] = []
    for (const some of portionsOf(this.#traces, AT_ONCE)) {
      await this.#turn()
      const ids = some.map(({ id }) => id)
      found.push(...(await this.#domain.traces.find(this.#caller, ids)))
    }
    return new Map(found)
  }
}
