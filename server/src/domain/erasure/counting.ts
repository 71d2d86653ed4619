import type { Database } from '../../database/database.js'
import type { Sql } from '../../database/rows/sql.js'
import {
  findAttachmentIds,
  findFormerThreads,
  findNotedItems,
  findNotedResults,
  findScoreIds,
  findScoreIdsBy,
  findScoreIdsOfResults,
  findScoreIdsOfThreads,
  findStepsWhere,
  findThreadAttachments,
  findThreadIds,
  findThreadsOfOthers,
} from '../../storage/erasure/counts.js'
import { findCopiesOfSteps, findResultsOfItems } from '../../storage/erasure/notes.js'
import { isOfRuns, stepsOf } from '../../storage/erasure/portions.js'
import type { Person } from './erasure.js'
import { type Deleted, none } from './kinds.js'

const AT_ONCE = 2000

/** Counts what deleting a person's data would delete, and changes nothing. */
export const countData = async (db: Database, person: Person, until: number): Promise<Deleted> => {
  const count = new Count(db, person, until)
  await count.everything()
  return count.counted()
}

/** Follows copies from steps to dataset items, from these to results, and from these to the steps of their runs. */
class Count {
  readonly #db: Database
  readonly #person: Person
  readonly #until: number
  readonly #counts = none()
  readonly #steps = new Set<string>()
  readonly #scores = new Set<string>()
  readonly #attachments = new Set<string>()
  readonly #items = new Set<string>()
  readonly #results = new Set<string>()
  /** Runs whose steps are not counted yet. */
  #runs: string[] = []

  constructor(db: Database, person: Person, until: number) {
    this.#db = db
    this.#person = person
    this.#until = until
  }

  counted(): Deleted {
    return {
      ...this.#counts,
      isComplete: performance.now() <= this.#until,
      scores: this.#scores.size,
      attachments: this.#attachments.size,
      datasetItems: this.#items.size,
      experimentItems: this.#results.size,
    }
  }

  async everything(): Promise<void> {
    const { projectId, identifier, id, copies } = this.#person
    await this.#pages(
      (after) => findScoreIdsBy(this.#db, projectId, identifier, after, AT_ONCE),
      (scores) => addAll(this.#scores, scores),
    )
    if (id === undefined) return
    this.#counts.users = 1
    for (const test of stepsOf(id)) await this.#countSteps(test)
    if (copies) {
      await this.#countItems(await findNotedItems(this.#db, projectId, id))
      await this.#countResults(await findNotedResults(this.#db, projectId, id))
      while (this.#runs.length > 0 && performance.now() <= this.#until)
        await this.#countSteps(isOfRuns(this.#runs.splice(0, AT_ONCE)))
    }
    await this.#countThreads(id)
  }

  async #countSteps(test: Sql): Promise<void> {
    const { projectId, copies } = this.#person
    await this.#pages(
      async (after) => findStepsWhere(this.#db, projectId, test, after, AT_ONCE),
      async (found) => {
        const steps = found.filter((step) => !this.#steps.has(step.id))
        const ids = steps.map((step) => step.id)
        addAll(this.#steps, ids)
        for (const { ingested, hasGeneration } of steps) {
          if (ingested) this.#counts.steps++
          if (ingested && hasGeneration) this.#counts.generations++
        }
        addAll(this.#scores, await findScoreIds(this.#db, projectId, ids))
        addAll(this.#attachments, await findAttachmentIds(this.#db, projectId, ids))
        if (!copies) return
        const items = await findCopiesOfSteps(this.#db, projectId, ids)
        await this.#countItems(items.map((item) => item.id))
      },
    )
  }

  async #countItems(found: readonly string[]): Promise<void> {
    const items = found.filter((id) => !this.#items.has(id))
    if (items.length === 0) return
    addAll(this.#items, items)
    await this.#countResults(await findResultsOfItems(this.#db, this.#person.projectId, items))
  }

  async #countResults(
    found: readonly { id: string; experimentRunId: string | null }[],
  ): Promise<void> {
    const results = found.filter(({ id }) => !this.#results.has(id))
    if (results.length === 0) return
    const ids = results.map(({ id }) => id)
    addAll(this.#results, ids)
    addAll(this.#scores, await findScoreIdsOfResults(this.#db, this.#person.projectId, ids))
    this.#runs.push(...results.flatMap(({ experimentRunId }) => experimentRunId ?? []))
  }

  async #countThreads(id: string): Promise<void> {
    const { projectId } = this.#person
    await this.#pages(
      (after) => findThreadIds(this.#db, projectId, id, after, AT_ONCE),
      async (threads) => {
        this.#counts.threads += threads.length
        addAll(this.#attachments, await findThreadAttachments(this.#db, projectId, threads))
        addAll(this.#scores, await findScoreIdsOfThreads(this.#db, projectId, threads))
      },
    )
    const former = await findFormerThreads(this.#db, projectId, id)
    const ids = former.map((thread) => thread.id)
    const ofOthers = new Set(await findThreadsOfOthers(this.#db, projectId, ids, id))
    const deleted = former.filter(
      (thread) => thread.participantId === null && !ofOthers.has(thread.id),
    )
    this.#counts.threadsKept = former.length - deleted.length
    this.#counts.threads += deleted.length
    const deletedIds = deleted.map((thread) => thread.id)
    addAll(this.#scores, await findScoreIdsOfThreads(this.#db, projectId, deletedIds))
  }

  /** Walks over pages in the order of ids, until the time is over. */
  async #pages<Row extends string | { id: string }>(
    read: (after: string) => Promise<Row[]>,
    each: (rows: Row[]) => void | Promise<void>,
  ): Promise<void> {
    for (let after = ''; performance.now() <= this.#until; ) {
      const rows = await read(after)
      const last = rows.at(-1)
      if (last === undefined) return
      await each(rows)
      if (rows.length < AT_ONCE) return
      after = typeof last === 'string' ? last : last.id
    }
  }
}

const addAll = (all: Set<string>, more: Iterable<string>): void => {
  for (const one of more) all.add(one)
}
