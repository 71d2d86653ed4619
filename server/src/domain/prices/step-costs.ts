import type { Database } from '../../database/database.js'
import type { Caller } from '../../kernel/caller.js'
import { findCostsBelow, findOwnCosts } from '../../storage/prices/step-costs.js'
import type { Threads } from '../threads/threads.js'
import { type CostOfStep, costsWithBelow } from './costs-below.js'

/** Runs whose steps are read at once. */
const RUNS_AT_ONCE = 50
/** Steps below the ones asked for that are read, all together, and their levels: each is a statement. */
const MAX_BELOW = 10_000
const MAX_LEVELS = 1000

/** The cost of a step with all that is below it. */
export interface StepCost {
  id: string
  /** Picodollars; null where no call has a price, or too many steps are below. */
  cost: number | null
  /** The number of calls of which some part has no price; null where too many steps are below. */
  unpriced: number | null
}

/** The costs of steps with all that is below them. */
export class StepCosts {
  readonly #db: Database
  readonly #threads: Threads

  constructor(db: Database, threads: Threads) {
    this.#db = db
    this.#threads = threads
  }

  /** Returns the costs of runs, a few at a time: each may have as many steps as one alone. */
  async ofRuns(caller: Caller, ids: readonly string[]): Promise<StepCost[]> {
    const costs: StepCost[] = []
    for (let from = 0; from < ids.length; from += RUNS_AT_ONCE) {
      const some = ids.slice(from, from + RUNS_AT_ONCE)
      const found = await this.of(caller, some)
      if (some.length === 1 || found.every(({ unpriced }) => unpriced !== null))
        costs.push(...found)
      else for (const id of some) costs.push(...(await this.of(caller, [id])))
    }
    return costs
  }

  async of(caller: Caller, ids: readonly string[]): Promise<StepCost[]> {
    const { projectId } = caller
    const first = await findOwnCosts(this.#db, projectId, ids)
    const threadIds = new Set(first.flatMap(({ threadId }) => threadId ?? []))
    // Costs that calls in one another share are told apart with the sums of their threads.
    await this.#threads.sumUp(caller, [...threadIds])
    const asked = await findOwnCosts(this.#db, projectId, ids)
    const steps = new Map<string, CostOfStep>(asked.map((step) => [step.id, step]))
    // Of steps in one another that are asked for, each is read and looked below once.
    let level = [...steps.keys()]
    let left = MAX_BELOW
    for (let levels = 0; level.length > 0 && levels < MAX_LEVELS; levels++) {
      const below = await findCostsBelow(this.#db, projectId, level, left + 1)
      if (below.length > left) break
      left -= below.length
      level = below.flatMap((step) => (steps.has(step.id) ? [] : step.id))
      for (const step of below) steps.set(step.id, step)
    }
    const costs = costsWithBelow([...steps.values()], new Set(level))
    return asked.map(({ id }) => ({ id, ...(costs.get(id) ?? { cost: null, unpriced: null }) }))
  }
}
