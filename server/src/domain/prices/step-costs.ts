import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { findCostsBelow, findOwnCosts } from '../../storage/prices/step-costs.js'
import type { Threads } from '../threads/threads.js'

/** Steps below the ones asked for that are read, all together. */
const MAX_BELOW = 10_000

/** The costs of steps with all that is below them. */
export class StepCosts {
  readonly #db: Database
  readonly #threads: Threads

  constructor(db: Database, threads: Threads) {
    this.#db = db
    this.#threads = threads
  }

  /** Returns picodollars; null where no call has a price, or too many steps are below. */
  async of(caller: Caller, ids: readonly string[]): Promise<{ id: string; cost: number | null }[]> {
    const { projectId } = caller
    const first = await findOwnCosts(this.#db, projectId, ids)
    const threadIds = new Set(first.flatMap(({ threadId }) => threadId ?? []))
    // Costs that calls in one another share are told apart with the sums of their threads.
    await this.#threads.sumUp(caller, [...threadIds])
    const own = await findOwnCosts(this.#db, projectId, ids)
    const sums = new Map(own.map(({ id, cost }) => [id, cost]))
    /** The asked steps that each step of a level is below of. */
    let level = new Map(own.map(({ id }) => [id, [id]]))
    const seen = new Set(own.map(({ id }) => `${id}\n${id}`))
    let left = MAX_BELOW
    while (level.size > 0) {
      const rows = await findCostsBelow(this.#db, projectId, [...level.keys()], left + 1)
      if (rows.length > left) {
        // Which of the asked steps are complete is not known.
        for (const roots of level.values()) for (const root of roots) sums.set(root, null)
        break
      }
      left -= rows.length
      const next = new Map<string, string[]>()
      for (const { id, parentId, cost } of rows) {
        const roots = (level.get(parentId) ?? []).filter((root) => !seen.has(`${root}\n${id}`))
        for (const root of roots) {
          seen.add(`${root}\n${id}`)
          if (cost !== null) sums.set(root, (sums.get(root) ?? 0) + cost)
        }
        if (roots.length > 0) next.set(id, [...(next.get(id) ?? []), ...roots])
      }
      level = next
    }
    return [...sums].map(([id, cost]) => ({ id, cost }))
  }
}
