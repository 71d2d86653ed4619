import type { Resolvers } from '../../generated/resolvers.js'
import { generationOf } from '../storage/steps.js'
import { connection, pageRequest } from './connection.js'

export const steps: Resolvers = {
  Query: {
    steps: (_, args, { domain, caller }) => domain.steps.list(caller, pageRequest(caller, args)),
    step: (_, { id }, { domain, caller }) => domain.steps.find(caller, id),
  },
  Mutation: {
    ingestSteps: async (_, args, { ingestion }, info) => {
      const { ids, outcomes } = await ingestion.batch(info.path.key, args.steps)
      const refused = outcomes.flatMap((message, index) =>
        message === null ? [] : [{ index, id: ids[index] ?? null, message }],
      )
      return {
        ok: refused.length === 0,
        message:
          refused[0] === undefined
            ? null
            : `${refused.length} of ${outcomes.length} steps were refused; steps[${refused[0].index}]: ${refused[0].message}`,
        accepted: outcomes.length - refused.length,
        refused,
      }
    },
    ingestStep: async (_, args, { ingestion }, info) => {
      const message = await ingestion.one(info.path.key, args)
      return { ok: message === null, message }
    },
    createStep: (_, args, { domain, caller }) => domain.steps.create(caller, args),
    updateStep: (_, args, { domain, caller }) => domain.steps.update(caller, args),
    deleteStep: (_, { id }, { domain, caller }) => domain.steps.delete(caller, id),
  },
  StepConnection: connection(),
  Step: {
    scores: ({ id }, _, { loaders }) => loaders.scoresOfStep.load(id),
    attachments: ({ id }, _, { loaders }) => loaders.attachmentsOfStep.load(id),
    generation: (step, _, { caller }) => generationOf(caller.projectId, step),
    thread: ({ threadId }, _, { loaders }) =>
      threadId === null ? null : loaders.thread.load(threadId),
  },
}
