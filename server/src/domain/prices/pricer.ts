import { randomInt } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { inTransaction } from '../../database/transactions/attempts.js'
import { DomainError } from '../../kernel/errors.js'
import type { Clock } from '../../kernel/instant.js'
import type { StepsOfThreads } from '../../storage/conversations/steps-of-threads.js'
import {
  type CallInputs,
  type CallPlace,
  type CostWrite,
  findCallsBefore,
  findWaitingCalls,
  findWaitingProject,
  storeCosts,
} from '../../storage/prices/costs.js'
import {
  endRepricing,
  findRepricings,
  noteRepriced,
  type PriceState,
} from '../../storage/prices/prices.js'
import { changeSteps } from '../../storage/threads.js'
import { type CallCost, type FindPrice, priceCall } from './price-call.js'
import type { CurrentPrices, ProjectPrices } from './project-prices.js'

/** Calls of a transaction: others wait for its locks, and in the embedded engine for all of it. */
const PRICED_AT_ONCE = 500

/** Time in which a transaction that began before a repricing has committed, far longer than one may last. */
const LATE_MS = 3_600_000

/** Returns a revision of a call that changes: no computation under way is kept. */
export const waitingAgain = (): number => -randomInt(1, 2 ** 31 - 1)

/** Computes the cost of a stored call. */
export const costOf = (call: CallInputs, find: FindPrice): CallCost =>
  priceCall({ ...call, settings: { service_tier: call.serviceTier } }, find)

const writeOf = (call: CallInputs, { find, revision }: CurrentPrices): CostWrite => {
  const { cost, source, isPartial } = costOf(call, find)
  return { id: call.id, cost, source, isPartial, revision, before: call.genCostRevision }
}

/** Prices the calls of threads that wait for it. Needs a transaction that has locked the threads. */
export const priceWaitingCalls = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  searched: StepsOfThreads,
): Promise<void> => {
  const current = await prices.of(db, projectId)
  for (;;) {
    const calls = await findWaitingCalls(db, projectId, searched, PRICED_AT_ONCE)
    const stored = await storeCosts(
      db,
      projectId,
      calls.map((call) => writeOf(call, current)),
    )
    // Another transaction may be changing one, and marks its thread again.
    if (calls.length < PRICED_AT_ONCE || stored.length === 0) return
  }
}

/**
 * Prices calls in the background: those that wait for it, and all of a project after `reprice`. Each portion is a
 * transaction of its own, so that it goes on wherever a process ended.
 */
export class Pricer {
  readonly #db: Database
  readonly #clock: Clock
  readonly #prices: ProjectPrices
  #isStopped = false

  constructor(db: Database, clock: Clock, prices: ProjectPrices) {
    this.#db = db
    this.#clock = clock
    this.#prices = prices
  }

  /** Ends `work` after the portion under way. */
  stop(): void {
    this.#isStopped = true
  }

  /** Works until no call has to be priced. */
  async work(): Promise<void> {
    const since = new Date(Date.parse(this.#clock()) - LATE_MS).toISOString()
    for (const state of await findRepricings(this.#db, since)) await this.#reprice(state)
    for (;;) {
      if (this.#isStopped) return
      const projectId = await findWaitingProject(this.#db)
      if (projectId === undefined || !(await this.priceWaiting(projectId))) return
    }
  }

  /** Prices the waiting calls of a project. Returns false when time is over, or it was stopped. */
  async priceWaiting(projectId: string, deadline = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { revision } = WAITING
    let after: CallPlace | undefined
    for (;;) {
      const calls = await findCallsBefore(this.#db, projectId, revision, after, PRICED_AT_ONCE)
      after = calls.at(-1)
      if (after === undefined) return true
      await this.#price(projectId, calls)
      if (this.#isStopped || performance.now() > deadline) return false
    }
  }

  /** Prices the waiting calls of a project, for an answer that depends on all costs. */
  async catchUp(projectId: string, withinMs: number): Promise<void> {
    if (!(await this.priceWaiting(projectId, performance.now() + withinMs)))
      throw new DomainError(
        'UNAVAILABLE',
        'the costs of many calls are still being computed; try again in a moment',
      )
  }

  /** Prices the calls of a project that a transaction of before a repricing left, or all of them while it runs. */
  async #reprice({ projectId, target, endedAt }: PriceState): Promise<void> {
    let after: CallPlace | undefined
    while (!this.#isStopped) {
      const calls = await findCallsBefore(this.#db, projectId, target, after, PRICED_AT_ONCE)
      after = calls.at(-1)
      if (after === undefined) {
        if (endedAt === null) await endRepricing(this.#db, projectId, target, this.#clock())
        return
      }
      const count = await this.#price(projectId, calls, target)
      const isCurrent = await noteRepriced(this.#db, projectId, target, count)
      // The next work begins with a later repricing, whose calls are counted for it.
      if (endedAt === null && !isCurrent) return
    }
  }

  /** Returns the number of calls that were stored; the others have changed, and wait. */
  async #price(projectId: string, calls: readonly CallInputs[], least = 0): Promise<number> {
    let current = await this.#prices.of(this.#db, projectId)
    if (current.revision < least) {
      // Another process has changed the prices since they were read here.
      this.#prices.forget(projectId)
      current = await this.#prices.of(this.#db, projectId)
    }
    const writes = calls.map((call) => writeOf(call, current))
    const changed = writes.flatMap(({ id, cost, source, isPartial }, index) =>
      isSame(calls[index], { cost, source, isPartial }) ? [] : id,
    )
    return inTransaction(this.#db, (transaction) =>
      changeSteps(transaction, projectId, changed, async () => {
        const stored = await storeCosts(transaction, projectId, writes)
        const isChanged = new Set(changed)
        return {
          result: stored.length,
          threadIds: stored.flatMap(({ id, threadId }) => (isChanged.has(id) ? threadId : [])),
        }
      }),
    )
  }
}

/** Calls that wait are of before the first revision. */
const WAITING = { revision: 1 }

const isSame = (
  call: CallInputs | undefined,
  { cost, source, isPartial }: Pick<CostWrite, 'cost' | 'source' | 'isPartial'>,
): boolean =>
  call !== undefined &&
  call.genCostRevision > 0 &&
  call.genCost === cost &&
  call.genCostPartial === isPartial &&
  (call.genCostSource === 'NONE') === (source === 'NONE')
