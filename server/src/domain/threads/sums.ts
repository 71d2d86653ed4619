import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/database.js'
import { givingWay } from '../../database/transactions/attempts.js'
import { SharedRuns } from '../../kernel/sharing/shared-runs.js'
import { findLastTools, latestTools } from '../../storage/conversations/last-tools.js'
import {
  findAnswers,
  findFailures,
  findQuestions,
  readAnswers,
  readQuestions,
} from '../../storage/conversations/said.js'
import {
  findLargeStaleThreads,
  type StepSums,
  storeSums,
  sumSteps,
  takeStaleThreads,
} from '../../storage/sums.js'
import { priceWaitingCalls } from '../prices/pricer.js'
import type { ProjectPrices } from '../prices/project-prices.js'
import { LARGE_SUMS, type LargeSums, sumUpLarge } from './large-sums.js'
import { noteNestedCalls } from './told-tokens.js'

/** Large threads that are remembered as resting. */
const MAX_RESTING = 1000

/** Keeps what threads show of their steps, as counts, tokens and first words. */
export class ThreadSums {
  readonly #db: Database
  readonly #prices: ProjectPrices
  readonly #large: LargeSums
  readonly #running = new SharedRuns<void>()
  readonly #resting = new LRUCache<string, true>({ max: MAX_RESTING })

  constructor(db: Database, prices: ProjectPrices, large = LARGE_SUMS) {
    this.#db = db
    this.#prices = prices
    this.#large = large
  }

  /**
   * Updates the sums of those of some threads whose sums are stale. Sums of many threads lock them in another order than
   * requests that mark them: the sums give way, so that what is recorded never waits for a circle to be found.
   */
  async update(projectId: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const found = await findLargeStaleThreads(this.#db, projectId, ids, this.#large.moreThan)
    const large = new Set(found.map(({ id }) => id))
    const others = ids.filter((id) => !large.has(id))
    if (others.length > 0)
      await givingWay(this.#db, (transaction) =>
        sumUp(transaction, this.#prices, projectId, others),
      )
    for (const id of large) await this.#updateLarge(projectId, id)
  }

  /** Returns true for a large thread that was summed up lately, in proportion to the time that it took. */
  rests(projectId: string, id: string): boolean {
    return this.#resting.has(keyOf(projectId, id))
  }

  #updateLarge(projectId: string, id: string): Promise<void> {
    return this.#running.run(keyOf(projectId, id), async () => {
      const begin = performance.now()
      await sumUpLarge(this.#db, this.#prices, projectId, id, this.#large)
      const ttl = Math.ceil((performance.now() - begin) * this.#large.restFactor)
      this.#resting.set(keyOf(projectId, id), true, { ttl })
    })
  }
}

const keyOf = (projectId: string, id: string) => JSON.stringify([projectId, id])

const sumUp = async (
  db: Database,
  prices: ProjectPrices,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  const threads = await takeStaleThreads(db, projectId, ids)
  if (threads.length === 0) return
  const taken = threads.map(({ id }) => id)
  let sums = await sumSteps(db, projectId, { threadIds: taken })
  const waiting = sums.flatMap(({ id, isWaiting }) => (isWaiting ? [id] : []))
  if (waiting.length > 0) {
    await priceWaitingCalls(db, prices, projectId, { threadIds: waiting })
    const again = await sumSteps(db, projectId, { threadIds: waiting })
    sums = [...sums.filter(({ isWaiting }) => !isWaiting), ...again]
  }
  const nested = sums.flatMap(({ id, mayBeNested }) => (mayBeNested ? [id] : []))
  const noting = {
    searched: [{ threadIds: nested }],
    partlyDeleted: new Set(
      threads.flatMap(({ id, isPartlyDeleted }) => (isPartlyDeleted ? [id] : [])),
    ),
    change: (work: (db: Database) => Promise<void>) => work(db),
  }
  if (nested.length > 0 && (await noteNestedCalls(db, projectId, noting))) {
    const again = await sumSteps(db, projectId, { threadIds: nested })
    sums = [...sums.filter(({ mayBeNested }) => !mayBeNested), ...again]
  }
  await store(db, projectId, taken, sums)
}

/** Stores the sums of threads, with the words that tell what they are about. Threads without sums have no steps. */
const store = async (
  db: Database,
  projectId: string,
  ids: readonly string[],
  sums: readonly StepSums[],
): Promise<void> => {
  const threadIds = [...ids]
  const questions = await findQuestions(db, projectId, { threadIds })
  const firstMessages = await readQuestions(db, projectId, questions)
  const answers = await findAnswers(db, projectId, { threadIds })
  const lastMessages = await readAnswers(db, projectId, answers)
  const failed = sums.flatMap(({ id, errors }) => (errors > 0 ? [id] : []))
  const failures = failed.length > 0 ? await findFailures(db, projectId, { threadIds: failed }) : []
  const errors = new Map(failures.map(({ threadId, error }) => [threadId, error]))
  const tools = latestTools(await findLastTools(db, projectId, sums))
  const sumsById = new Map(sums.map((row) => [row.id, row]))
  await storeSums(
    db,
    projectId,
    ids.map((id) => ({
      id,
      sums: sumsById.get(id),
      firstMessage: firstMessages.get(id) ?? null,
      lastMessage: lastMessages.get(id) ?? null,
      firstError: errors.get(id) ?? null,
      tools: tools.get(id) ?? null,
    })),
  )
}
