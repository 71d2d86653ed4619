import type { Resolvers } from '../../../generated/resolvers.js'
import { connection, pageRequest } from '../engine/connection.js'

export const datasets = {
  Query: {
    datasets: (_, args, { domain, caller }) =>
      domain.datasets.list(caller, pageRequest(caller, args)),
    dataset: (_, args, { domain, caller }) => domain.datasets.find(caller, args),
    datasetItem: (_, { id }, { domain, caller }) => domain.datasets.findItem(caller, id),
  },
  Mutation: {
    createDataset: (_, args, { domain, caller }) => domain.datasets.create(caller, args),
    updateDataset: (_, args, { domain, caller }) => domain.datasets.update(caller, args),
    deleteDataset: (_, { id }, { domain, caller }) => domain.datasets.delete(caller, id),
    createDatasetItem: (_, args, { domain, caller }) => domain.datasets.createItem(caller, args),
    updateDatasetItem: (_, args, { domain, caller }) => domain.datasets.updateItem(caller, args),
    deleteDatasetItem: (_, { id }, { domain, caller }) => domain.datasets.deleteItem(caller, id),
    addStepToDataset: (_, args, { domain, caller }) => domain.datasets.addStep(caller, args),
    addThreadToDataset: (_, args, { domain, caller }) => domain.datasets.addThread(caller, args),
    addGenerationToDataset: (_, args, { domain, caller }) =>
      domain.datasets.addGeneration(caller, args),
    addGenerationsToDataset: async (_, args, { domain, caller }) => ({
      items: await domain.datasets.addGenerations(caller, args),
    }),
  },
  Dataset: {
    itemCount: async ({ id }, _, { loaders }) => (await loaders.itemCount.load(id))?.count ?? 0,
    experimentCount: async ({ id }, _, { loaders }) =>
      (await loaders.experimentCount.load(id))?.count ?? 0,
    items: ({ id }, args, { domain, caller }) => domain.datasets.listItems(caller, id, args),
  },
  DatasetItem: {
    results: ({ id }, args, { domain, caller }) => domain.experiments.listResults(caller, id, args),
  },
  DatasetConnection: connection(),
  DatasetItemConnection: connection(),
} satisfies Resolvers
