import DataLoader from 'dataloader'
import type { Domain } from '../../domain/domain.js'
import type { ShownCost } from '../../domain/prices/shown.js'
import type { StepCost } from '../../domain/prices/step-costs.js'
import type { Caller } from '../../kernel/caller.js'
import { type AttachmentRow, findAttachmentsOfSteps } from '../../storage/attachments.js'
import type { EndRow } from '../../storage/conversations/ending.js'
import {
  type DatasetItemRow,
  type DatasetRow,
  findDatasets,
  findItemsById,
} from '../../storage/datasets.js'
import { type ExcerptRow, findExcerpts } from '../../storage/excerpts/excerpts.js'
import {
  type ExperimentRow,
  findExperiments,
  findItemPlaces,
  type ItemPlaceRow,
} from '../../storage/experiments.js'
import { findPreviews, type PreviewRow } from '../../storage/previews.js'
import { findLineages, type LineageRow } from '../../storage/prompts.js'
import {
  findNewestScoresOfThreads,
  findScoresOfItems,
  findScoresOfSteps,
  type ScoreRow,
} from '../../storage/scores/scores.js'
import {
  type CountRow,
  countExperimentsOfDatasets,
  countFailuresOfExperiments,
  countItemsOfDatasets,
  countItemsOfExperiments,
  type ScoreSummaryRow,
  summarizeExperiments,
  summarizeMeasures,
} from '../../storage/scores/summaries.js'
import type { LossRow, SessionRow } from '../../storage/sessions.js'
import {
  findArrivedSteps,
  findSteps,
  findStepsOfThreads,
  type StepParts,
  type StepRow,
} from '../../storage/steps.js'
import { findThreads, type ThreadRow } from '../../storage/threads.js'
import { findParticipants, type ParticipantRow, type Usage } from '../../storage/users.js'

/** Ids that one statement looks for, more than a page has: on the embedded engine all others wait for it. */
const IDS_AT_ONCE = 2000

/** Reads rows by their ids, or by those of others, in portions. */
const readById = async <Row>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> => {
  if (ids.length <= IDS_AT_ONCE) return read(ids)
  const rows: Row[] = []
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE)
    for (const row of await read(ids.slice(from, from + IDS_AT_ONCE))) rows.push(row)
  return rows
}

/**
 * Creates loaders, which gather what the fields of one request ask for and read it in one statement per kind. A
 * mutation caches nothing, as its later fields must see the changes of earlier ones.
 */
export const createLoaders = (
  { prices, prompts, reader, sessions, stepCosts, threads, users }: Domain,
  caller: Caller,
  remember: boolean,
  parts: StepParts,
) => {
  const read = reader(caller)
  /** Returns a loader that asks for all ids together, as one may need what another has. */
  const together = <Row extends { id: string }>(read: (ids: readonly string[]) => Promise<Row[]>) =>
    new DataLoader<string, Row | null>(
      async (ids) => {
        const rows = new Map((await read(ids)).map((row) => [row.id, row]))
        return ids.map((id) => rows.get(id) ?? null)
      },
      { cache: remember },
    )
  const one = <Row extends { id: string }>(read: (ids: readonly string[]) => Promise<Row[]>) =>
    together((ids) => readById(ids, read))
  const many = <Row>(
    read: (ids: readonly string[]) => Promise<Row[]>,
    parent: (row: Row) => string | null,
  ) =>
    new DataLoader<string, Row[]>(
      async (ids) => {
        const rows = new Map<string, Row[]>(ids.map((id) => [id, []]))
        for (const row of await readById(ids, read)) rows.get(parent(row) ?? '')?.push(row)
        return ids.map((id) => rows.get(id) ?? [])
      },
      { cache: remember },
    )
  /** Returns a loader for each of the few values that an argument has in a request. */
  const each = <Argument, Loader>(make: (argument: Argument) => Loader) => {
    const made = new Map<Argument, Loader>()
    return (argument: Argument): Loader => {
      const known = made.get(argument) ?? make(argument)
      made.set(argument, known)
      return known
    }
  }
  return {
    /** One version after another, so that a long list of them leaves room for other requests. */
    promptUse: each(
      (since: string) =>
        new DataLoader<string, Awaited<ReturnType<typeof prompts.use>>>(
          async (ids) => {
            const uses = []
            for (const id of ids) uses.push(await prompts.use(caller, id, since || null))
            return uses
          },
          { cache: remember },
        ),
    ),
    preview: each((characters: number) =>
      one<PreviewRow>((ids) => read(findPreviews, ids, characters)),
    ),
    excerpt: one<ExcerptRow>((ids) => read(findExcerpts, ids)),
    newestScores: each((most: number) =>
      many<ScoreRow & { of: string }>(
        (ids) => read(findNewestScoresOfThreads, ids, most),
        ({ of }) => of,
      ),
    ),
    step: one<StepRow>((ids) => read(findSteps, ids, parts)),
    /** Finds out only if it exists. */
    arrivedStep: one<{ id: string }>((ids) => read(findArrivedSteps, ids)),
    costOfCall: one<ShownCost & { id: string }>((ids) => prices.costsOf(caller, ids)),
    costOfStep: together<StepCost>((ids) => stepCosts.of(caller, ids)),
    costOfRun: together<StepCost>((ids) => stepCosts.ofRuns(caller, ids)),
    thread: one<ThreadRow>((ids) => read(findThreads, ids)),
    /** Loads a thread whose sums are up to date. */
    summedThread: one<ThreadRow>((ids) => threads.summed(caller, ids)),
    threadEnd: one<EndRow>((ids) => threads.ends(caller, ids)),
    dataset: one<DatasetRow>((ids) => read(findDatasets, ids)),
    datasetItem: one<DatasetItemRow>((ids) => read(findItemsById, ids)),
    itemCount: one<CountRow>((ids) => read(countItemsOfDatasets, ids)),
    experimentCount: one<CountRow>((ids) => read(countExperimentsOfDatasets, ids)),
    resultCount: one<CountRow>((ids) => read(countItemsOfExperiments, ids)),
    failureCount: one<CountRow>((ids) => read(countFailuresOfExperiments, ids)),
    experimentItem: one<ItemPlaceRow>((ids) => read(findItemPlaces, ids)),
    experiment: one<ExperimentRow>((ids) => read(findExperiments, ids)),
    measuresOfExperiment: many<ScoreSummaryRow>(
      (ids) => read(summarizeMeasures, ids),
      ({ of }) => of,
    ),
    scoresOfExperiment: many<ScoreSummaryRow>(
      (ids) => read(summarizeExperiments, ids),
      ({ of }) => of,
    ),
    participant: one<ParticipantRow>((ids) => read(findParticipants, ids)),
    usage: one<Usage>((ids) => users.usage(caller, ids)),
    lineage: one<LineageRow>((ids) => read(findLineages, ids)),
    scoresOfStep: many<ScoreRow>(
      (ids) => read(findScoresOfSteps, ids),
      ({ stepId }) => stepId,
    ),
    scoresOfItem: many<ScoreRow>(
      (ids) => read(findScoresOfItems, ids),
      ({ datasetExperimentItemId }) => datasetExperimentItemId,
    ),
    attachmentsOfStep: many<AttachmentRow>(
      (ids) => read(findAttachmentsOfSteps, ids),
      ({ stepId }) => stepId,
    ),
    lossesOfSession: many<LossRow>(
      (ids) => sessions.losses(caller, ids),
      ({ sessionId }) => sessionId,
    ),
    sessionsOfThread: new DataLoader<string, SessionRow[]>(
      async (ids) => {
        const pairs = await sessions.ofThreads(caller, ids)
        return ids.map((id) =>
          pairs.filter(({ threadId }) => threadId === id).map(({ session }) => session),
        )
      },
      { cache: remember },
    ),
    stepsOfThread: many<StepRow>(
      (ids) => read(findStepsOfThreads, ids, null, parts),
      ({ threadId }) => threadId,
    ),
  }
}

export type Loaders = ReturnType<typeof createLoaders>
