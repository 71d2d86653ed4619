import DataLoader from 'dataloader'
import type { Caller } from '../domain/caller.js'
import type { Domain } from '../domain/domain.js'
import type { AttachmentRow } from '../storage/attachments.js'
import type { LineageRow } from '../storage/prompts.js'
import type { ScoreRow } from '../storage/scores.js'
import type { LossRow, SessionRow } from '../storage/sessions.js'
import type { StepRow } from '../storage/steps.js'
import type { ThreadRow } from '../storage/threads.js'
import type { ParticipantRow, Usage } from '../storage/users.js'

/**
 * Gathers what the fields of one request ask for and reads it in one statement per kind. Nothing is remembered in a
 * mutation, whose later fields must see what the earlier ones wrote.
 */
export const createLoaders = (
  { related, sessions, threads, users }: Domain,
  caller: Caller,
  remember: boolean,
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
  return {
    step: one<StepRow>((ids) => related.steps(caller, ids)),
    thread: one<ThreadRow>((ids) => related.threads(caller, ids)),
    /** A thread whose sums are up to date. */
    summedThread: one<ThreadRow>(async (ids) => {
      await threads.sumUp(caller, ids)
      return related.threads(caller, ids)
    }),
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
      (ids) => related.stepsOfThreads(caller, ids),
      ({ threadId }) => threadId,
    ),
  }
}

export type Loaders = ReturnType<typeof createLoaders>
