import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { findOpenTransactions, inSequence } from '../../database/distribution/cluster.js'
import { findStepsBefore, insertSlabs, joinNext } from '../../storage/contents/blocks.js'
import {
  countChanges,
  dropIndex,
  findChanges,
  findIncomplete,
  holdProject,
  moveOn,
  noteRest,
  releaseProjects,
  type State,
  settleChanges,
  startProjects,
} from '../../storage/contents/changes.js'
import { findFirstTexts } from '../../storage/contents/texts.js'
import { Gatherer } from './gatherer.js'

/** Steps whose texts are read at once. */
const READ_AT_ONCE = 64
const CHANGES_AT_ONCE = 2000
/** Changes of steps among which whole slabs are first looked for; after each failure, among twice as many. */
const MIN_CHANGES = 128
/** A step is mostly written again soon after its start, and is better indexed once. */
const QUIET_MS = 10_000
/** Steps of a project that may wait to be quiet. The first search after them reads each, which takes a second or two. */
const MAX_WAITING = 20_000

export interface IndexerOptions {
  isEnabled: boolean
  /** Default: ten seconds. */
  quietMs?: number | undefined
  /** Steps of a project that may wait for that. Default: 20,000. */
  maxWaiting?: number | undefined
}

/** Indexes the contents of steps behind their ingestion, a slab at a time, so that it goes on wherever a process ended. */
export class ContentIndexer {
  readonly #db: Database
  readonly #holder = randomUUID()
  readonly #isEnabled: boolean
  readonly #quietMs: number
  readonly #maxWaiting: number
  /** Changes of a project below which there was no whole slab. */
  readonly #tried = new Map<string, number>()
  /** The transactions that each project waits for, as they may have begun before its changes were noted. */
  readonly #awaited = new Map<string, Set<string>>()
  #isDropped = false
  #isStopped = false
  #isHolding = false

  constructor(
    db: Database,
    { isEnabled, quietMs = QUIET_MS, maxWaiting = MAX_WAITING }: IndexerOptions,
  ) {
    this.#db = db
    this.#isEnabled = isEnabled
    this.#quietMs = quietMs
    this.#maxWaiting = maxWaiting
  }

  /** Ends `work` after the slab under way. */
  stop(): void {
    this.#isStopped = true
  }

  /** Works until nothing fills a slab. */
  async work(): Promise<void> {
    if (!this.#isEnabled) {
      if (!this.#isDropped) await dropIndex(this.#db)
      this.#isDropped = true
      return
    }
    await startProjects(this.#db)
    for (let isBusy = true; isBusy && !this.#isStopped; ) {
      isBusy = false
      for (const projectId of await findIncomplete(this.#db))
        isBusy = (!this.#isStopped && (await this.#indexBefore(projectId))) || isBusy
      const now = Date.now()
      for (const { projectId, quiet, all } of await countChanges(this.#db, now - this.#quietMs)) {
        const isWaiting = all <= this.#maxWaiting
        const [count, beforeMs] = isWaiting ? [quiet, now - this.#quietMs] : [all, now]
        if (count >= (this.#tried.get(projectId) ?? MIN_CHANGES))
          isBusy =
            (!this.#isStopped && (await this.#indexChanges(projectId, count, beforeMs))) || isBusy
      }
    }
    if (this.#isHolding) await releaseProjects(this.#db, this.#holder)
    this.#isHolding = false
  }

  /** Indexes the next slab of the steps of before. Returns false when there is nothing more to do now. */
  async #indexBefore(projectId: string): Promise<boolean> {
    if (!(await this.#isNoted(projectId))) return false
    const state = await this.#hold(projectId)
    if (state === undefined || state.isComplete) return false
    const gatherer = new Gatherer()
    let place =
      state.nextCreatedAt === null || state.nextId === null
        ? undefined
        : { createdAt: state.nextCreatedAt, id: state.nextId }
    const ids: string[] = []
    while (!gatherer.isFull) {
      const steps = await findStepsBefore(this.#db, projectId, place, READ_AT_ONCE)
      if (steps.length === 0) return this.#complete(state, ids)
      const added = await this.#gather(
        gatherer,
        projectId,
        steps.map(({ id }) => id),
      )
      ids.push(...steps.map(({ id }) => id))
      place = steps[added - 1]
    }
    const isMine = await this.#commit(async (transaction) => {
      if (!(await moveOn(transaction, state, place))) return false
      await insertSlabs(transaction, projectId, gatherer.slabs, 'before')
      return true
    })
    if (isMine) await this.#join(projectId)
    return isMine
  }

  /**
   * Returns true once every transaction notes its changes: those that began before the state was there may have looked for
   * it in vain.
   */
  async #isNoted(projectId: string): Promise<boolean> {
    const awaited = this.#awaited.get(projectId)
    if (awaited?.size === 0) return true
    const open = await findOpenTransactions(this.#db)
    const left = new Set(awaited === undefined ? open : open.filter((one) => awaited.has(one)))
    this.#awaited.set(projectId, left)
    return left.size === 0
  }

  #hold(projectId: string): Promise<State | undefined> {
    this.#isHolding = true
    return holdProject(this.#db, projectId, this.#holder)
  }

  async #complete(state: State, rest: readonly string[]): Promise<boolean> {
    await this.#commit(async (transaction) => {
      if (!(await moveOn(transaction, state, undefined))) return false
      await noteRest(transaction, state.projectId, rest)
      return true
    })
    return false
  }

  /** Indexes the next slab of steps that changed before a time. Returns false when they fill none. */
  async #indexChanges(projectId: string, count: number, beforeMs: number): Promise<boolean> {
    if ((await this.#hold(projectId)) === undefined) return false
    const changes = await findChanges(this.#db, projectId, beforeMs, CHANGES_AT_ONCE)
    const ids = [...new Set(changes.flatMap(({ stepIds }) => stepIds))]
    const gatherer = new Gatherer()
    let done = 0
    while (done < ids.length && !gatherer.isFull)
      done += await this.#gather(gatherer, projectId, ids.slice(done, done + READ_AT_ONCE))
    if (!gatherer.isFull) {
      this.#tried.set(projectId, count * 2)
      // Steps that were written again and again take room once.
      if (changes.length > 1)
        await this.#commit((transaction) => settleChanges(transaction, projectId, changes, ids))
      return false
    }
    this.#tried.delete(projectId)
    const isMine = await this.#commit(async (transaction) => {
      if (!(await settleChanges(transaction, projectId, changes, ids.slice(done)))) return false
      await insertSlabs(transaction, projectId, gatherer.slabs, 'after')
      return true
    })
    if (isMine) await this.#join(projectId)
    return isMine
  }

  /** Adds the texts of some steps until a slab is full. Returns the number of steps that are in it, or are gone. */
  async #gather(gatherer: Gatherer, projectId: string, ids: readonly string[]): Promise<number> {
    for (let at = 0; at < ids.length; ) {
      const { rows, read } = await findFirstTexts(this.#db, projectId, ids.slice(at))
      const places = new Map(ids.map((id, place) => [id, place]))
      for (const row of rows) {
        await gatherer.add(row)
        if (gatherer.isFull) return (places.get(row.id) ?? 0) + 1
      }
      at += read
    }
    return ids.length
  }

  /** Runs a transaction that is undone when another process was faster. */
  async #commit(work: (transaction: Database) => Promise<boolean>): Promise<boolean> {
    try {
      await this.#db.transaction().execute(async (transaction) => {
        await inSequence(transaction)
        if (!(await work(transaction))) throw OVERTAKEN
      })
      return true
    } catch (error) {
      if (error === OVERTAKEN) return false
      throw error
    }
  }

  async #join(projectId: string): Promise<void> {
    while (!this.#isStopped && (await joinNext(this.#db, projectId)));
  }
}

const OVERTAKEN = new Error('another process was faster')
