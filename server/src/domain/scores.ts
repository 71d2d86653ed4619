import { randomUUID } from 'node:crypto'
import type { MutationUpdateScoreArgs, ScoreInput } from '../../generated/resolvers.js'
import type { Database } from '../storage/database.js'
import { hasExperimentItem } from '../storage/experiments.js'
import { type ScoreWrite, upsertScores } from '../storage/ingestion.js'
import type { PageRequest, Pages } from '../storage/listing/page.js'
import {
  deleteScore,
  findScores,
  type ScoreRow,
  scoreListing,
  updateScore,
} from '../storage/scores.js'
import type { Caller } from './caller.js'
import { invalid, notFound } from './errors.js'
import type { Clock } from './instant.js'
import type { Values } from './values.js'

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
    return (await this.#insert(caller, [await this.#read(caller, '', score)]))[0] as ScoreRow
  }

  /** Gives all scores, or none when one of them can't be. */
  async createAll(caller: Caller, scores: readonly ScoreInput[]): Promise<ScoreRow[]> {
    const writes: ScoreWrite[] = []
    for (const [index, score] of scores.entries())
      writes.push(await this.#read(caller, `scores[${index}].`, score))
    return this.#insert(caller, writes)
  }

  async #read(caller: Caller, where: string, score: ScoreInput): Promise<ScoreWrite> {
    const values = this.#values
    const generationId = values.id(`${where}generationId`, score.generationId) ?? null
    // A generation has its step's id.
    const stepId = values.id(`${where}stepId`, score.stepId) ?? generationId
    const itemId =
      values.id(`${where}datasetExperimentItemId`, score.datasetExperimentItemId) ?? null
    if (stepId === null && itemId === null)
      throw invalid(
        `${where}stepId, ${where}datasetExperimentItemId: expected what the score judges, got neither`,
      )
    if (itemId !== null && !(await hasExperimentItem(this.#db, caller.projectId, itemId)))
      throw notFound('experiment item', itemId)
    return {
      projectId: caller.projectId,
      id: randomUUID(),
      stepId,
      generationId,
      datasetExperimentItemId: itemId,
      name: values.text(`${where}name`, score.name),
      type: score.type,
      value: values.finite(`${where}value`, score.value),
      label: values.text(`${where}label`, score.label) ?? null,
      comment: values.text(`${where}comment`, score.comment) ?? null,
      scorer: values.text(`${where}scorer`, score.scorer) ?? null,
      tags: values.tags(`${where}tags`, score.tags) ?? null,
      at: this.#clock(),
    }
  }

  async #insert(caller: Caller, writes: readonly ScoreWrite[]): Promise<ScoreRow[]> {
    if (writes.length === 0) return []
    await upsertScores(this.#db, writes)
    const ids = writes.map(({ id }) => id)
    const rows = new Map(
      (await findScores(this.#db, caller.projectId, ids)).map((row) => [row.id, row]),
    )
    return ids.map((id) => rows.get(id) as ScoreRow)
  }

  async update(
    caller: Caller,
    { id, value, label, comment }: MutationUpdateScoreArgs,
  ): Promise<ScoreRow> {
    const score = await updateScore(this.#db, caller.projectId, id, {
      value: this.#values.finite('value', value),
      label: this.#values.text('label', label),
      comment: this.#values.text('comment', comment),
      updated_at: this.#clock(),
    })
    if (score === undefined) throw notFound('score', id)
    return score
  }

  list(caller: Caller, request: PageRequest) {
    return this.#pages.read<ScoreRow>(caller.projectId, scoreListing(caller.projectId), request)
  }

  /** Null when there is no such score. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return (await deleteScore(this.#db, caller.projectId, id)) ? { id } : null
  }
}
