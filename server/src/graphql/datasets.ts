import type { Resolvers } from '../../generated/resolvers.js'
import { connection, pageRequest } from './connection.js'

export const datasets: Resolvers = {
  Query: {
    datasets: (_, args, { domain, caller }) =>
      domain.datasets.list(caller, pageRequest(caller, args)),
    datasetItem: (_, { id }, { domain, caller }) => domain.datasets.findItem(caller, id),
  },
  Mutation: {
    createDataset: (_, args, { domain, caller }) => domain.datasets.create(caller, args),
    updateDataset: (_, args, { domain, caller }) => domain.datasets.update(caller, args),
    deleteDataset: (_, { id }, { domain, caller }) => domain.datasets.delete(caller, id),
    createDatasetItem: (_, args, { domain, caller }) => domain.datasets.createItem(caller, args),
    deleteDatasetItem: (_, { id }, { domain, caller }) => domain.datasets.deleteItem(caller, id),
    addStepToDataset: (_, args, { domain, caller }) => domain.datasets.addStep(caller, args),
    addGenerationToDataset: (_, args, { domain, caller }) =>
      domain.datasets.addGeneration(caller, args),
    addGenerationsToDataset: async (_, args, { domain, caller }) => ({
      items: await domain.datasets.addGenerations(caller, args),
    }),
  },
  DatasetConnection: connection(),
}
