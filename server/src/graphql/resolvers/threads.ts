import DataLoader from 'dataloader'
import type { Resolvers, StepType } from '../../../generated/resolvers.js'
import { within } from '../../kernel/errors.js'
import { findStepsOfThreads, type StepRow } from '../../storage/steps.js'
import type { ThreadRow } from '../../storage/threads.js'
import { connection, pageRequest } from '../engine/connection.js'
import type { Context } from '../engine/context.js'
import { Receipt, threadAnswer } from '../engine/receipts.js'
import { int } from '../engine/scalars.js'
import { dollars } from './prices.js'

export const threads = {
  Query: {
    threads: async (_, { stepTypesToKeep, ...args }, context) => {
      const { domain, caller } = context
      const page = await domain.threads.list(caller, pageRequest(caller, args))
      if (stepTypesToKeep == null) return page
      const keptSteps = stepsOfTypes(context, stepTypesToKeep)
      return { ...page, rows: page.rows.map((row) => ({ ...row, keptSteps })) }
    },
    threadDetail: (_, { id }, { domain, caller }) => domain.threads.find(caller, id),
  },
  Mutation: {
    createThread: async (_, args, context) =>
      threadAnswer(context, await context.domain.threads.create(context.caller, args), args),
    upsertThread: async (_, { id, ...args }, context) =>
      threadAnswer(context, await context.domain.threads.upsert(context.caller, id, args), args),
    updateThread: (_, { id, ...args }, { domain, caller }) =>
      domain.threads.update(caller, id, args),
    deleteThread: (_, { id }, { domain, caller }) => domain.threads.delete(caller, id),
  },
  ThreadConnection: connection(),
  Thread: {
    tokenCount: async (thread, _, context) => int((await summed(thread, context))?.tokenCount),
    cost: async (thread, _, context) => dollars((await summed(thread, context))?.cost),
    unpricedCount: async (thread, _, context) =>
      (await summed(thread, context))?.unpricedCount ?? 0,
    duration: async (thread, _, context) => (await summed(thread, context))?.duration ?? null,
    stepCount: async (thread, _, context) => (await summed(thread, context))?.stepCount ?? 0,
    errorCount: async (thread, _, context) => (await summed(thread, context))?.errorCount ?? 0,
    firstMessage: async (thread, _, context) =>
      (await summed(thread, context))?.firstMessage ?? null,
    startedAt: async (thread, _, context) => (await summed(thread, context))?.startedAt ?? null,
    lastMessage: async (thread, _, context) => (await summed(thread, context))?.lastMessage ?? null,
    firstError: async (thread, _, context) => (await summed(thread, context))?.firstError ?? null,
    endedAt: async (thread, _, { loaders }) =>
      thread instanceof Receipt
        ? null
        : ((await loaders.threadEnd.load(thread.id))?.endedAt ?? null),
    scores: ({ id }, { first }, { loaders }) => loaders.newestScores(scoresOf(first)).load(id),
    participant: ({ participantId }, _, { loaders }) =>
      participantId === null ? null : loaders.participant.load(participantId),
    steps: ({ id, keptSteps }, _, { loaders }) => (keptSteps ?? loaders.stepsOfThread).load(id),
    sessions: ({ id }, _, { loaders }) => loaders.sessionsOfThread.load(id),
  },
} satisfies Resolvers

/** Loads a thread with sums that are up to date. */
const summed = (thread: ThreadRow, { loaders }: Context) =>
  thread.stale ? loaders.summedThread.load(thread.id) : thread

const MAX_SCORES = 100
const SCORES = 10

const scoresOf = (given: number | null | undefined): number =>
  within('first', given ?? SCORES, 0, MAX_SCORES)

const stepsOfTypes = ({ domain, caller, parts }: Context, types: readonly StepType[]) =>
  new DataLoader<string, StepRow[]>(async (ids) => {
    const rows = new Map<string, StepRow[]>(ids.map((id) => [id, []]))
    for (const row of await domain.reader(caller)(findStepsOfThreads, ids, types, parts))
      rows.get(row.threadId ?? '')?.push(row)
    return ids.map((id) => rows.get(id) ?? [])
  })
