import type { Database } from '../../database/database.js'
import { portionsOf } from '../../database/portions.js'
import { evenIfLeft } from '../../database/task.js'
import { isHeld, PATIENCE_MS } from '../../database/transactions/attempts.js'
import { Resting } from '../../kernel/sharing/resting.js'
import { SharedRuns } from '../../kernel/sharing/shared-runs.js'
import { findStale, type StaleThread, type ThreadFigures } from '../../storage/sums.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { exceptHeld, readFigures } from './held.js'
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

  /**
   * Updates the sums of those of some threads whose sums are stale.
   * @throws DomainError when others hold one of them for seconds.
   */
  async update(projectId: string, ids: readonly string[]): Promise<void> {
    for (const some of await this.#portions(projectId, ids))
      await this.#updateSome(projectId, some, PATIENCE_MS)
  }

  /** Updates the sums of those of some threads that nobody holds: what is only shown must not wait for who writes. Returns the others. */
  async updateUnheld(projectId: string, ids: readonly string[]): Promise<StaleThread[]> {
    const begin = performance.now()
    const portions = await this.#portions(projectId, ids)
    const work = (some: readonly StaleThread[]) => this.#updateSome(projectId, some, 0)
    const held = await exceptHeld(portions, work, isHeld)
    const tookMs = performance.now() - begin
    for (const { id } of held) this.#resting.rest({ projectId, id }, tookMs)
    return held
  }

  /** Returns the figures of threads up to now. Stores those that can't be known otherwise, and the others not, as somebody holds their threads. */
  async readHeld(projectId: string, held: readonly StaleThread[]): Promise<ThreadFigures[]> {
    const figures = await readFigures(this.#db, projectId, held)
    const known = new Set(figures.map(({ id }) => id))
    await this.update(
      projectId,
      held.flatMap(({ id }) => (known.has(id) ? [] : [id])),
    )
    return figures
  }

  /** Returns the stale ones of some threads, few steps together; a large one is alone. */
  async #portions(projectId: string, ids: readonly string[]): Promise<(readonly StaleThread[])[]> {
    if (ids.length === 0) return []
    const threads = await this.#findStale(projectId, ids)
    const small = threads.filter((thread) => !this.#isLarge(thread))
    const large = threads.filter((thread) => this.#isLarge(thread))
    const { threads: mostRows, steps: mostWeight } = this.#sizes
    const portions = portionsOf(small, { mostRows, mostWeight, weigh: stepsOf })
    return [...portions, ...large.map((thread) => [thread])]
  }

  #isLarge({ stepCount }: StaleThread): boolean {
    return stepCount > this.#sizes.steps
  }

  async #updateSome(
    projectId: string,
    some: readonly StaleThread[],
    patienceMs: number,
  ): Promise<void> {
    const [first] = some
    if (first !== undefined && this.#isLarge(first))
      await this.#updateLarge(projectId, first.id, patienceMs)
    else await sumUp(this.#db, this.#prices, projectId, some, patienceMs)
  }

  /** Returns true for a large thread that was summed up lately, and one that others held, in proportion to the time that it took. */
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

  #updateLarge(projectId: string, id: string, patienceMs: number): Promise<void> {
    return this.#running.run(keyOf(projectId, id, patienceMs), async () => {
      const begin = performance.now()
      await evenIfLeft(() =>
        sumUpLarge(this.#db, this.#prices, projectId, id, this.#sizes, patienceMs),
      )
      this.#resting.rest({ projectId, id }, performance.now() - begin)
    })
  }
}

const stepsOf = ({ stepCount }: StaleThread) => stepCount

const keyOf = (...parts: readonly [string, string, number]) => JSON.stringify(parts)
