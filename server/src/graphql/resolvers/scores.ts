import type { Resolvers, ScoreType } from '../../../generated/resolvers.js'
import { connection, pageRequest } from '../engine/connection.js'

export const scores = {
  Query: {
    scores: (_, args, { domain, caller }) => domain.scores.list(caller, pageRequest(caller, args)),
    scoreDefinitions: (_, __, { domain, caller }) => domain.definitions.list(caller),
  },
  Mutation: {
    setScoreDefinition: (_, args, { domain, caller }) => domain.definitions.set(caller, args),
    deleteScoreDefinition: (_, { name }, { domain, caller }) =>
      domain.definitions.delete(caller, name),
    createScore: (_, args, { domain, caller }) => domain.scores.create(caller, args),
    createScores: async (_, args, { domain, caller }) => ({
      scores: await domain.scores.createAll(caller, args.scores),
    }),
    updateScore: (_, args, { domain, caller }) => domain.scores.update(caller, args),
    deleteScore: (_, { id }, { domain, caller }) => domain.scores.delete(caller, id),
  },
  ScoreConnection: connection(),
  Score: {
    type: ({ type }, _, { caller }) =>
      type === 'CODE' && caller.pythonClient?.knowsCode === false ? 'AI' : (type as ScoreType),
    step: ({ stepId }, _, { loaders }) => (stepId === null ? null : loaders.step.load(stepId)),
    thread: ({ threadId }, _, { loaders }) =>
      threadId === null ? null : loaders.thread.load(threadId),
    experimentItem: ({ datasetExperimentItemId: id }, _, { loaders }) =>
      id === null ? null : loaders.experimentItem.load(id),
    isThreadMissing: async ({ threadId }, _, { loaders }) =>
      threadId !== null && (await loaders.thread.load(threadId)) === null,
    isStepMissing: async ({ stepId }, _, { loaders }) =>
      stepId !== null && (await loaders.arrivedStep.load(stepId)) === null,
  },
} satisfies Resolvers
