import type { Database } from '../database/database.js'
import type { Caller } from '../kernel/caller.js'
import { type AttachmentRow, findAttachmentsOfSteps } from '../storage/attachments.js'
import {
  type DatasetItemRow,
  type DatasetRow,
  findDatasets,
  findItemsById,
} from '../storage/datasets.js'
import { findPreviews, type PreviewRow } from '../storage/previews.js'
import { findLineages, type LineageRow } from '../storage/prompts.js'
import {
  findNewestScoresOfThreads,
  findScoresOfItems,
  findScoresOfSteps,
  type ScoreRow,
} from '../storage/scores/scores.js'
import {
  type CountRow,
  countExperimentsOfDatasets,
  countItemsOfDatasets,
  countItemsOfExperiments,
  type ScoreSummaryRow,
  summarizeExperiments,
} from '../storage/scores/summaries.js'
import {
  findArrivedSteps,
  findSteps,
  findStepsOfThreads,
  type StepParts,
  type StepRow,
} from '../storage/steps.js'
import { findThreads, type ThreadRow } from '../storage/threads.js'
import { findParticipants, type ParticipantRow } from '../storage/users.js'

/** Rows that hang on other rows, for all rows of a page at once: one statement each, never one per row. */
export class Related {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  steps({ projectId }: Caller, ids: readonly string[], parts: StepParts): Promise<StepRow[]> {
    return findSteps(this.#db, projectId, ids, parts)
  }

  /** The ids among these of which there is a step, and not only something that names it. */
  arrivedSteps({ projectId }: Caller, ids: readonly string[]): Promise<{ id: string }[]> {
    return findArrivedSteps(this.#db, projectId, ids)
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
    parts: StepParts,
    types?: readonly string[] | null,
  ): Promise<StepRow[]> {
    return findStepsOfThreads(this.#db, projectId, ids, types, parts)
  }

  previews(
    { projectId }: Caller,
    ids: readonly string[],
    characters: number,
  ): Promise<PreviewRow[]> {
    return findPreviews(this.#db, projectId, ids, characters)
  }

  newestScoresOfThreads(
    { projectId }: Caller,
    ids: readonly string[],
    most: number,
  ): Promise<(ScoreRow & { threadId: string })[]> {
    return findNewestScoresOfThreads(this.#db, projectId, ids, most)
  }

  scoresOfSteps({ projectId }: Caller, ids: readonly string[]): Promise<ScoreRow[]> {
    return findScoresOfSteps(this.#db, projectId, ids)
  }

  scoresOfItems({ projectId }: Caller, ids: readonly string[]): Promise<ScoreRow[]> {
    return findScoresOfItems(this.#db, projectId, ids)
  }

  datasets({ projectId }: Caller, ids: readonly string[]): Promise<DatasetRow[]> {
    return findDatasets(this.#db, projectId, ids)
  }

  datasetItems({ projectId }: Caller, ids: readonly string[]): Promise<DatasetItemRow[]> {
    return findItemsById(this.#db, projectId, ids)
  }

  itemCounts({ projectId }: Caller, datasetIds: readonly string[]): Promise<CountRow[]> {
    return countItemsOfDatasets(this.#db, projectId, datasetIds)
  }

  experimentCounts({ projectId }: Caller, datasetIds: readonly string[]): Promise<CountRow[]> {
    return countExperimentsOfDatasets(this.#db, projectId, datasetIds)
  }

  resultCounts({ projectId }: Caller, experimentIds: readonly string[]): Promise<CountRow[]> {
    return countItemsOfExperiments(this.#db, projectId, experimentIds)
  }

  scoresOfExperiments(
    { projectId }: Caller,
    experimentIds: readonly string[],
  ): Promise<ScoreSummaryRow[]> {
    return summarizeExperiments(this.#db, projectId, experimentIds)
  }

  attachmentsOfSteps({ projectId }: Caller, ids: readonly string[]): Promise<AttachmentRow[]> {
    return findAttachmentsOfSteps(this.#db, projectId, ids)
  }
}
