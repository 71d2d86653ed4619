import type { Resolvers } from '../../generated/resolvers.js'

export const experiments: Resolvers = {
  Mutation: {
    createDatasetExperiment: (_, args, { domain, caller }) =>
      domain.experiments.create(caller, args),
    createDatasetExperimentItem: (_, args, { domain, caller }) =>
      domain.experiments.createItem(caller, args),
  },
  DatasetExperimentItem: {
    scores: ({ id }, _, { loaders }) => loaders.scoresOfItem.load(id),
  },
}
