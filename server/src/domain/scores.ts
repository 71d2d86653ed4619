import { randomUUID } from 'node:crypto'
import type { MutationCreateScoreArgs, MutationUpdateScoreArgs } from '../../generated/resolvers.js'
import type { Database } from '../storage/database.js'
import { hasExperimentItem } from '../storage/experiments.js'
import { upsertScores } from '../storage/ingestion.js'
import { type PageRequest, readPage } from '../storage/listing/page.js'
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
  readonly #values: Values
  readonly #clock: Clock

  constructor(db: Database, values: Values, clock: Clock) {
    this.#db = db
    this.#values = values
    this.#clock = clock
  }

  async create(caller: Caller, score: MutationCreateScoreArgs): Promise<ScoreRow> {
    const values = this.#values
    const generationId = values.id('generationId', score.generationId) ?? null
    // A generation has its step's id.
    const stepId = values.id('stepId', score.stepId) ?? generationId
    const itemId = values.id('datasetExperimentItemId', score.datasetExperimentItemId) ?? null
    if (stepId === null && itemId === null)
      throw invalid('stepId, datasetExperimentItemId: expected what the score judges, got neither')
    if (itemId !== null && !(await hasExperimentItem(this.#db, caller.projectId, itemId)))
      throw notFound('experiment item', itemId)
    const id = randomUUID()
    await upsertScores(this.#db, [
      {
        projectId: caller.projectId,
        id,
        stepId,
        generationId,
        datasetExperimentItemId: itemId,
        name: values.text('name', score.name),
        type: score.type,
        value: values.finite('value', score.value),
        label: values.text('label', score.label) ?? null,
        comment: values.text('comment', score.comment) ?? null,
        scorer: values.text('scorer', score.scorer) ?? null,
        tags: values.tags('tags', score.tags) ?? null,
        at: this.#clock(),
      },
    ])
    return (await findScores(this.#db, caller.projectId, [id]))[0] as ScoreRow
  }

  async update(caller: Caller, { id, value, comment }: MutationUpdateScoreArgs): Promise<ScoreRow> {
    const score = await updateScore(this.#db, caller.projectId, id, {
      value: this.#values.finite('value', value),
      comment: this.#values.text('comment', comment),
      updated_at: this.#clock(),
    })
    if (score === undefined) throw notFound('score', id)
    return score
  }

  list(caller: Caller, request: PageRequest) {
    return readPage<ScoreRow>(this.#db, caller.projectId, scoreListing(caller.projectId), request)
  }

  /** Null when there is no such score. */
  async delete(caller: Caller, id: string): Promise<{ id: string } | null> {
    return (await deleteScore(this.#db, caller.projectId, id)) ? { id } : null
  }
}
