import { type AttachmentRow, findAttachmentsOfSteps } from '../storage/attachments.js'
import type { Database } from '../storage/database.js'
import { findLineages, type LineageRow } from '../storage/prompts.js'
import { findScoresOfItems, findScoresOfSteps, type ScoreRow } from '../storage/scores.js'
import { findSteps, findStepsOfThreads, type StepRow } from '../storage/steps.js'
import { findThreads, type ThreadRow } from '../storage/threads.js'
import { findParticipants, type ParticipantRow } from '../storage/users.js'
import type { Caller } from './caller.js'

/** Rows that hang on other rows, for all rows of a page at once: one statement each, never one per row. */
export class Related {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  steps({ projectId }: Caller, ids: readonly string[]): Promise<StepRow[]> {
    return findSteps(this.#db, projectId, ids)
  }

  threads({ projectId }: Caller, ids: readonly string[]): Promise<ThreadRow[]> {
    return findThreads(this.#db, projectId, ids)
  }

  participants({ projectId }: Caller, ids: readonly string[]): Promise<ParticipantRow[]> {
    return findParticipants(this.#db, projectId, ids)
  }

  lineages({ projectId }: Caller, ids: readonly string[]): Promise<LineageRow[]> {
    return findLineages(this.#db, projectId, ids)
  }

  stepsOfThreads(
    { projectId }: Caller,
    ids: readonly string[],
    types?: readonly string[] | null,
  ): Promise<StepRow[]> {
    return findStepsOfThreads(this.#db, projectId, ids, types)
  }

  scoresOfSteps({ projectId }: Caller, ids: readonly string[]): Promise<ScoreRow[]> {
    return findScoresOfSteps(this.#db, projectId, ids)
  }

  scoresOfItems({ projectId }: Caller, ids: readonly string[]): Promise<ScoreRow[]> {
    return findScoresOfItems(this.#db, projectId, ids)
  }

  attachmentsOfSteps({ projectId }: Caller, ids: readonly string[]): Promise<AttachmentRow[]> {
    return findAttachmentsOfSteps(this.#db, projectId, ids)
  }
}
