import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.js'
import { isConflict, isLocked } from '../../database/failures.js'
import type { Sql } from '../../database/rows/sql.js'
import { limitLockWait } from '../../database/transactions/attempts.js'
import type { Caller } from '../../kernel/caller.js'
import {
  deleteItemsOf,
  deleteParticipantRow,
  deleteResults,
  deleteScoresBy,
  deleteStepsWhere,
  deleteThreadOf,
  findResultsOf,
  findThreadsOf,
  forgetCopiesOf,
  isOfRuns,
  leaveThread,
  stepsOf,
} from '../../storage/erasure/portions.js'
import { forgetErrors } from '../../storage/judges/judges.js'
import { findParticipantByIdentifier } from '../../storage/users.js'
import { actorOf } from '../audit/entry.js'
import { concludeRun, type Run as NotedRun, noteInRun } from '../audit/runs.js'
import type { Values } from '../values.js'
import { countData } from './counting.js'
import { handOnFromItems, handOnFromResults, handOnFromSteps } from './handing-on.js'
import { type Deleted, none } from './kinds.js'
import { PortionSize } from './portion-size.js'

/** Time of one call. Further ones delete the rest. */
const CALL_MS = 5000
/** More time of a call that others have kept from deleting anything. */
const PATIENCE_MS = 5000
/**
 * Times that a portion waits for a locked row: the first, and the longest, shorter than the database takes to see that two
 * wait for each other. Those who lock a row one after the other leave it for a moment only, to whom waits already.
 */
const FIRST_LOCK_MS = 200
const LONGEST_LOCK_MS = 800
/** Pause after a portion that found a row locked. */
const PAUSE_MS = 50

interface Asked {
  identifier: string
  /** Deletes copies in datasets too, and results of experiments on them. */
  copies: boolean
  /** Counts, and deletes nothing. */
  isDryRun: boolean
}

/**
 * Deletes all data of a person. Portions of it are small transactions, so that others get their turn in between and
 * nothing is lost when the process ends: each portion hands on whose data it was to the copies that were made of it, so
 * that these are found by another call too.
 */
export class Erasure {
  readonly #db: Database
  readonly #values: Values

  readonly #callMs: number

  constructor(db: Database, values: Values, callMs = CALL_MS) {
    this.#db = db
    this.#values = values
    this.#callMs = callMs
  }

  async delete(caller: Caller, asked: Asked): Promise<Deleted> {
    const { projectId } = caller
    const identifier = this.#values.requiredText('identifier', asked.identifier)
    const until = performance.now() + this.#callMs
    const participant = await findParticipantByIdentifier(this.#db, projectId, identifier)
    const person = { projectId, identifier, id: participant?.id, copies: asked.copies }
    if (asked.isDryRun) return countData(this.#db, person, until)
    const noted = notedRun(caller, participant?.id)
    const run = new Run(this.#db, person, until, noted)
    await run.everything()
    // While there is the user, further calls go on with the same run.
    const { isComplete, users } = run.deleted
    if (isComplete || users > 0 || participant === undefined)
      await concludeRun(this.#db, projectId, noted.id)
    return run.deleted
  }
}

export interface Person {
  projectId: string
  identifier: string
  /** Undefined when no participant has the identifier. */
  id: string | undefined
  copies: boolean
}

/** Returns the run that the audit log has the deletion as: it names a user by the id alone, which leads nowhere afterwards. */
const notedRun = (caller: Caller, id: string | undefined): NotedRun => ({
  projectId: caller.projectId,
  id: id === undefined ? randomUUID() : `erasure ${id} ${caller.keyId}`,
  actor: actorOf(caller),
  action: { action: 'DELETE_USER_DATA', on: 'USER', id },
})

/** One call that deletes. */
class Run {
  readonly deleted = none()
  readonly #db: Database
  readonly #person: Person
  readonly #until: number
  readonly #size = new PortionSize()

  readonly #noted: NotedRun

  constructor(db: Database, person: Person, until: number, noted: NotedRun) {
    this.#noted = noted
    this.#db = db
    this.#person = person
    this.#until = until
  }

  /** Deletes until nothing is left or the time is over. */
  async everything(): Promise<void> {
    const { id } = this.#person
    await this.#untilNone((db, most) => this.#scores(db, most))
    if (id !== undefined)
      while (!this.#isOver()) {
        for (const test of stepsOf(id)) await this.#steps(test)
        await this.#copies(id)
        await this.#threads(id)
        if (await this.#participant(id)) break
      }
    this.deleted.isComplete = !this.#isOver()
  }

  #isOver(): boolean {
    const more = this.#hasDeleted() ? 0 : PATIENCE_MS
    return performance.now() > this.#until + more
  }

  #hasDeleted(): boolean {
    return Object.values(this.deleted).some((count) => count)
  }

  async #scores(db: Database, most: number): Promise<boolean> {
    const { projectId, identifier } = this.#person
    const scores = await deleteScoresBy(db, projectId, identifier, most)
    this.#count({ scores })
    return scores > 0
  }

  #steps(test: Sql): Promise<void> {
    const { projectId } = this.#person
    return this.#untilNone(async (db, most) => {
      const { steps, ...others } = await deleteStepsWhere(db, projectId, test, most)
      await handOnFromSteps(db, projectId, steps)
      const arrived = steps.filter(({ ingested }) => ingested)
      const generations = arrived.filter(({ hasGeneration }) => hasGeneration).length
      this.#count({ ...others, steps: arrived.length, generations })
      return steps.length > 0
    })
  }

  /** Dataset items, results of experiments on them, the runs of these, and so on. */
  async #copies(id: string): Promise<void> {
    const { projectId, copies } = this.#person
    if (!copies) return this.#untilNone((db, most) => forgetCopiesOf(db, projectId, id, most))
    await this.#untilNone(async (db, most) => {
      const items = await deleteItemsOf(db, projectId, id, most)
      await handOnFromItems(db, projectId, items)
      this.#count({ datasetItems: items.length })
      return items.length > 0
    })
    while (!this.#isOver()) {
      const found = await findResultsOf(this.#db, projectId, id, this.#size.most)
      if (found.length === 0) return
      const runs = found.flatMap(({ experimentRunId }) => experimentRunId ?? [])
      if (runs.length > 0) await this.#steps(isOfRuns(runs))
      if (this.#isOver()) return
      await this.#portion(async (db) => {
        const ids = found.map((result) => result.id)
        const { results, scores } = await deleteResults(db, projectId, ids)
        await handOnFromResults(db, projectId, results)
        this.#count({ experimentItems: results.length, scores })
        return false
      })
    }
  }

  async #threads(id: string): Promise<void> {
    const { projectId } = this.#person
    for (const manner of ['now', 'before'] as const)
      while (!this.#isOver()) {
        const threads = await findThreadsOf(this.#db, projectId, id, manner, this.#size.most)
        if (threads.length === 0) break
        for (const thread of threads) {
          if (this.#isOver()) return
          await this.#portion(async (db) => {
            if (manner === 'before') {
              const { outcome, scores } = await leaveThread(db, projectId, id, thread)
              this.#count({
                scores,
                threads: outcome === 'deleted' ? 1 : 0,
                threadsKept: outcome === 'kept' ? 1 : 0,
              })
              return false
            }
            const deleted = await deleteThreadOf(db, projectId, id, thread)
            if (deleted === null) return false
            // Steps that were stored since theirs were deleted.
            await handOnFromSteps(db, projectId, deleted.steps)
            const { attachments, scores, steps } = deleted
            this.#count({ threads: 1, attachments, scores, steps: steps.length })
            return false
          })
        }
      }
  }

  /** Returns false when something was stored meanwhile. */
  async #participant(id: string): Promise<boolean> {
    if (this.#isOver()) return false
    let isGone = false
    await this.#portion(async (db) => {
      isGone = await deleteParticipantRow(db, this.#person.projectId, id)
      if (!isGone) throw new StillThere()
      await forgetErrors(db, this.#person.projectId)
      this.#count({ users: 1 })
      return false
    })
    return isGone
  }

  async #untilNone(work: (db: Database, most: number) => Promise<boolean>): Promise<void> {
    while (!this.#isOver() && (await this.#portion(work)));
  }

  readonly #counted: Partial<Deleted>[] = []
  /** Notes numbers that hold once the transaction is committed. */
  #count(counts: Partial<Deleted>): void {
    this.#counted.push(counts)
  }

  /**
   * Runs one transaction, again when others hold its rows. Returns false when nothing was left.
   * @throws DomainError when the rows are held until the time is over, and nothing was deleted in this call.
   */
  async #portion(work: (db: Database, most: number) => Promise<boolean>): Promise<boolean> {
    for (let lockMs = FIRST_LOCK_MS; ; lockMs = Math.min(lockMs * 2, LONGEST_LOCK_MS)) {
      const begin = performance.now()
      this.#counted.length = 0
      try {
        const { isMore, counts } = await this.#db.transaction().execute(async (db) => {
          await limitLockWait(db, lockMs)
          const isMore = await work(db, this.#size.most)
          const { isComplete: _, ...counts } = this.#counted.reduce(added, none())
          await noteInRun(db, this.#noted, counts)
          return { isMore, counts }
        })
        this.#size.took(performance.now() - begin)
        add(this.deleted, counts)
        return isMore
      } catch (error) {
        if (error instanceof StillThere) return false
        if (!isLocked(error) && !isConflict(error)) throw error
        this.#size.shrink()
        if (this.#isOver() && !this.#hasDeleted()) throw error
        if (this.#isOver()) return false
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
  }
}

/** Rolls a transaction back. */
class StillThere extends Error {}

const added = (deleted: Deleted, counts: Partial<Deleted>): Deleted => {
  add(deleted, counts)
  return deleted
}

const add = (deleted: Deleted, { isComplete: _, ...counts }: Partial<Deleted>): void => {
  for (const [kind, count] of Object.entries(counts) as [
    Exclude<keyof Deleted, 'isComplete'>,
    number,
  ][])
    deleted[kind] += count
}
