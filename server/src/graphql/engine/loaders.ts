import DataLoader from 'dataloader'
import type { Domain } from '../../domain/domain.js'
import type { Caller } from '../../kernel/caller.js'
import type { AttachmentRow } from '../../storage/attachments.js'
import type { DatasetItemRow, DatasetRow } from '../../storage/datasets.js'
import type { PreviewRow } from '../../storage/previews.js'
import type { LineageRow } from '../../storage/prompts.js'
import type { ScoreRow } from '../../storage/scores/scores.js'
import type { CountRow, ScoreSummaryRow } from '../../storage/scores/summaries.js'
import type { LossRow, SessionRow } from '../../storage/sessions.js'
import type { StepParts, StepRow } from '../../storage/steps.js'
import type { ThreadRow } from '../../storage/threads.js'
import type { ParticipantRow, Usage } from '../../storage/users.js'

/**
 * Gathers what the fields of one request ask for and reads it in one statement per kind. Nothing is remembered in a
 * mutation, whose later fields must see what the earlier ones wrote.
 */
export const createLoaders = (
  { prompts, related, sessions, threads, users }: Domain,
  caller: Caller,
  remember: boolean,
  parts: StepParts,
) => {
  const one = <Row extends { id: string }>(read: (ids: readonly string[]) => Promise<Row[]>) =>
    new DataLoader<string, Row | null>(
      async (ids) => {
        const rows = new Map((await read(ids)).map((row) => [row.id, row]))
        return ids.map((id) => rows.get(id) ?? null)
      },
      { cache: remember },
    )
  const many = <Row>(
    read: (ids: readonly string[]) => Promise<Row[]>,
    parent: (row: Row) => string | null,
  ) =>
    new DataLoader<string, Row[]>(
      async (ids) => {
        const rows = new Map<string, Row[]>(ids.map((id) => [id, []]))
        for (const row of await read(ids)) rows.get(parent(row) ?? '')?.push(row)
        return ids.map((id) => rows.get(id) ?? [])
      },
      { cache: remember },
    )
  /** A loader for each of the few values that an argument has in a request. */
  const each = <Argument, Loader>(make: (argument: Argument) => Loader) => {
    const made = new Map<Argument, Loader>()
    return (argument: Argument): Loader => {
      const known = made.get(argument) ?? make(argument)
      made.set(argument, known)
      return known
    }
  }
  return {
    /** One version after the other, so that a long list of them leaves room for other requests. */
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
      one<PreviewRow>((ids) => related.previews(caller, ids, characters)),
    ),
    newestScores: each((most: number) =>
      many<ScoreRow & { threadId: string }>(
        (ids) => related.newestScoresOfThreads(caller, ids, most),
        ({ threadId }) => threadId,
      ),
    ),
    step: one<StepRow>((ids) => related.steps(caller, ids, parts)),
    /** Only whether it is there. */
    arrivedStep: one<{ id: string }>((ids) => related.arrivedSteps(caller, ids)),
    thread: one<ThreadRow>((ids) => related.threads(caller, ids)),
    /** A thread whose sums are up to date. */
    summedThread: one<ThreadRow>(async (ids) => {
      await threads.sumUp(caller, ids)
      return related.threads(caller, ids)
    }),
    dataset: one<DatasetRow>((ids) => related.datasets(caller, ids)),
    datasetItem: one<DatasetItemRow>((ids) => related.datasetItems(caller, ids)),
    itemCount: one<CountRow>((ids) => related.itemCounts(caller, ids)),
    experimentCount: one<CountRow>((ids) => related.experimentCounts(caller, ids)),
    resultCount: one<CountRow>((ids) => related.resultCounts(caller, ids)),
    scoresOfExperiment: many<ScoreSummaryRow>(
      (ids) => related.scoresOfExperiments(caller, ids),
      ({ of }) => of,
    ),
    participant: one<ParticipantRow>((ids) => related.participants(caller, ids)),
    usage: one<Usage>((ids) => users.usage(caller, ids)),
    lineage: one<LineageRow>((ids) => related.lineages(caller, ids)),
    scoresOfStep: many<ScoreRow>(
      (ids) => related.scoresOfSteps(caller, ids),
      ({ stepId }) => stepId,
    ),
    scoresOfItem: many<ScoreRow>(
      (ids) => related.scoresOfItems(caller, ids),
      ({ datasetExperimentItemId }) => datasetExperimentItemId,
    ),
    attachmentsOfStep: many<AttachmentRow>(
      (ids) => related.attachmentsOfSteps(caller, ids),
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
      (ids) => related.stepsOfThreads(caller, ids, parts),
      ({ threadId }) => threadId,
    ),
  }
}

export type Loaders = ReturnType<typeof createLoaders>
