import type { Database } from '../../database/database.js'
import { portionsOf } from '../../database/portions.js'
import { evenIfLeft } from '../../database/task.js'
import { Resting } from '../../kernel/sharing/resting.js'
import { SharedRuns } from '../../kernel/sharing/shared-runs.js'
import { findStale, type StaleThread } from '../../storage/sums.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { sumUpLarge } from './large-sums.js'
import { sumUp } from './small-sums.js'
import { countUpTo } from './step-counts.js'
import { SUM_SIZES, type SumSizes } from './sum-sizes.js'

/** Keeps what threads show of their steps, as counts, tokens and first words. */
export class ThreadSums {
  readonly #db: Database
  readonly #prices: ProjectPrices
  readonly #sizes: SumSizes
  readonly #running = new SharedRuns<void>()
  readonly #resting: Resting<{ projectId: string; id: string }>

  constructor(db: Database, prices: ProjectPrices, sizes = SUM_SIZES) {
    this.#db = db
    this.#prices = prices
    this.#sizes = sizes
    this.#resting = new Resting(sizes.restFactor)
  }

  /** Updates the sums of those of some threads whose sums are stale. */
  async update(projectId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const threads = await this.#findStale(projectId, ids)
    const isLarge = ({ stepCount }: StaleThread) => stepCount > this.#sizes.steps
    const small = threads.filter((thread) => !isLarge(thread))
    const { threads: mostRows, steps: mostWeight } = this.#sizes
    for (const some of portionsOf(small, { mostRows, mostWeight, weigh: stepsOf }))
      await sumUp(this.#db, this.#prices, projectId, some)
    for (const { id } of threads.filter(isLarge)) await this.#updateLarge(projectId, id)
  }

  /** Returns true for a large thread that was summed up lately, in proportion to the time that it took. */
  rests(projectId: string, id: string): boolean {
    return this.#resting.has({ projectId, id })
  }

  /** Returns stale threads. Those that were never summed up, as they are new or were imported, may have any number of steps. */
  async #findStale(projectId: string, ids: readonly string[]): Promise<StaleThread[]> {
    const threads = await findStale(this.#db, projectId, ids)
    const unknown = threads.flatMap(({ id, stepCount }) => (stepCount === 0 ? [id] : []))
    if (unknown.length === 0) return threads
    const counts = await countUpTo(this.#db, projectId, unknown, this.#sizes.steps)
    return threads.map((thread) => ({
      ...thread,
      stepCount: counts.get(thread.id) ?? thread.stepCount,
    }))
  }

  #updateLarge(projectId: string, id: string): Promise<void> {
    return this.#running.run(keyOf(projectId, id), async () => {
      const begin = performance.now()
      await evenIfLeft(() => sumUpLarge(this.#db, this.#prices, projectId, id, this.#sizes))
      this.#resting.rest({ projectId, id }, performance.now() - begin)
    })
  }
}

const stepsOf = ({ stepCount }: StaleThread) => stepCount

const keyOf = (projectId: string, id: string) => JSON.stringify([projectId, id])
