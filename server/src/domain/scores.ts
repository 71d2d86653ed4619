import { randomUUID } from 'node:crypto'
import type { MutationUpdateScoreArgs, ScoreInput } from '../../generated/resolvers.js'
import type { Database } from '../database/database.js'
import { portionsOf, storeAllOrNone } from '../database/portions.js'
import type { Caller } from '../kernel/caller.js'
import { invalid, notFound } from '../kernel/errors.js'
import type { Clock } from '../kernel/instant.js'
import { Turn } from '../kernel/sharing/turn.js'
import type { PageRequest, Pages } from '../lists/page.js'
import { keepExperimentItems } from '../storage/experiments.js'
import { type ScoreWrite, upsertScores } from '../storage/ingestion/nested.js'
import { holdOldData } from '../storage/retention/rules.js'
import {
  deleteScore,
  deleteScores,
  findScores,
  type ScoreRow,
  scoreListing,
  updateScore,
} from '../storage/scores/scores.js'
import { noteFor } from './audit/entry.js'
import { ScoreRules } from './score-rules.js'
import type { Values } from './values.js'

/** Scores that one statement reads. */
const MAX_READ_AT_ONCE = 2000
/** Scores that one transaction inserts. */
const PORTION = { mostRows: 1000, mostWeight: 2_000_000 }

/** A score whose value may be named by its label. */
type SentWrite = Omit<ScoreWrite, 'value'> & { value: number | null }

export class Scores {
  readonly #db: Database
  readonly #pages: Pages
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, pages: Pages, values: Values, clock: Clock) {
    this.#db = db
    this.#pages = pages
    this.#values = values
    this.#clock = clock
  }

  async create(caller: Caller, score: ScoreInput): Promise<ScoreRow> {
    return (await this.createAll(caller, [score], () => ''))[0] as ScoreRow
  }

  /** Stores all scores, or none when one of them is invalid. Errors name the place of a score. */
  async createAll(
    caller: Caller,
    scores: readonly ScoreInput[],
    placeOf = (index: number) => `scores[${index}].`,
  ): Promise<ScoreRow[]> {
    const sent: SentWrite[] = []
    const turn = new Turn()
    for (const [index, score] of scores.entries()) {
      if (turn.isOver()) await turn.next()
      sent.push(this.#read(caller, placeOf(index), score))
    }
    const names = sent.map(({ name }) => name)
    const rules = await ScoreRules.read(this.#db, caller.projectId, names)
    const writes: ScoreWrite[] = []
    for (const [index, score] of sent.entries()) {
      if (turn.isOver()) await turn.next()
      writes.push(rules.fit(placeOf(index), score))
    }
    return this.#insert(caller, writes)
  }

  #read(caller: Caller, where: string, score: ScoreInput): SentWrite {
    const values = this.#values
    const generationId = values.id(`${where}generationId`, score.generationId) ?? null
    // A generation has its step's id.
    const stepId = values.id(`${where}stepId`, score.stepId) ?? generationId
    const itemId =
      values.id(`${where}datasetExperimentItemId`, score.datasetExperimentItemId) ?? null
    const threadId = values.id(`${where}threadId`, score.threadId) ?? null
    if (stepId === null && itemId === null && threadId === null)
      throw invalid(
        `${where}stepId, ${where}threadId, ${where}datasetExperimentItemId: expected one of them, got none`,
      )
    if (threadId !== null && (stepId !== null || itemId !== null))
      throw invalid(
        `${where}threadId: expected none beside ${stepId === null ? 'datasetExperimentItemId' : 'stepId'}`,
      )
    return {
      projectId: caller.projectId,
      id: randomUUID(),
      stepId,
      threadId,
      generationId,
      datasetExperimentItemId: itemId,
      name: values.text(`${where}name`, score.name),
      type: score.type,
      value: score.value == null ? null : values.finite(`${where}value`, score.value),
      label: values.text(`${where}label`, score.label) ?? null,
      comment: values.text(`${where}comment`, score.comment) ?? null,
      scorer: values.text(`${where}scorer`, score.scorer) ?? null,
      tags: values.tags(`${where}tags`, score.tags) ?? null,
      at: this.#clock(),
    }
  }

  /**
   * Inserts scores a portion at a time, so that others take turns; when one fails, removes those before it. In the
   * transaction of the caller, which stores more than the scores, all are one portion.
   */
  async #insert({ projectId }: Caller, writes: readonly ScoreWrite[]): Promise<ScoreRow[]> {
    if (this.#db.isTransaction) return insertAndRead(this.#db, projectId, writes)
    return storeAllOrNone(
      portionsOf(writes, PORTION),
      (portion) => this.#db.transaction().execute((db) => insertAndRead(db, projectId, portion)),
      (stored) =>
        deleteScores(
          this.#db,
          projectId,
          stored.map(({ id }) => id),
        ),
    )
  }

  async update(
    caller: Caller,
    { id, value, label, comment }: MutationUpdateScoreArgs,
  ): Promise<ScoreRow> {
    const values = this.#values
    const changes = {
      value: value == null ? undefined : values.finite('value', value),
      label: values.text('label', label),
      comment: values.text('comment', comment),
    }
    const [stored] = await findScores(this.#db, caller.projectId, [id])
    if (stored === undefined) throw notFound('score', id)
    const rules = await ScoreRules.read(this.#db, caller.projectId, [stored.name])
    const score = await updateScore(this.#db, caller.projectId, id, {
      ...changes,
      ...rules.change(stored, changes),
      updatedAt: this.#clock(),
    })
    if (score === undefined) throw notFound('score', id)
    return score
  }

  list(caller: Caller, request: PageRequest) {
    return this.#pages.read(caller.projectId, scoreListing(caller.projectId), request)
  }

  /** Returns null when there is no such score. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return this.#db.transaction().execute(async (transaction) => {
      if (!(await deleteScore(transaction, caller.projectId, id))) return null
      await noteFor(transaction, caller, { action: 'DELETE_SCORE', on: 'SCORE', id })
      return { id }
    })
  }
}

/** Inserts scores, and reads them before others can delete what they judge, and them with it. Needs a transaction. */
const insertAndRead = async (
  db: Database,
  projectId: string,
  writes: readonly ScoreWrite[],
): Promise<ScoreRow[]> => {
  await holdOldData(db, projectId)
  const results = [...new Set(writes.flatMap(({ datasetExperimentItemId: id }) => id ?? []))]
  const kept = new Set(
    results.length === 0 ? [] : await keepExperimentItems(db, projectId, results),
  )
  for (const id of results) if (!kept.has(id)) throw notFound('experiment item', id)
  await upsertScores(db, writes)
  const rows = new Map<string, ScoreRow>()
  for (let first = 0; first < writes.length; first += MAX_READ_AT_ONCE) {
    const ids = writes.slice(first, first + MAX_READ_AT_ONCE).map(({ id }) => id)
    for (const row of await findScores(db, projectId, ids)) rows.set(row.id, row)
  }
  return writes.map(({ id }) => rows.get(id) as ScoreRow)
}
