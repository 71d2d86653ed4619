import type { Resolvers } from '../../../generated/resolvers.js'
import { connection } from '../engine/connection.js'
import { dollars } from './prices.js'

export const experiments = {
  Query: {
    datasetExperiments: (_, { datasetId, ...args }, { domain, caller }) =>
      domain.experiments.list(caller, args, datasetId),
    datasetExperiment: (_, { id }, { domain, caller }) => domain.experiments.find(caller, id),
  },
  Mutation: {
    deleteDatasetExperiment: (_, { id }, { domain, caller }) =>
      domain.experiments.delete(caller, id),
    createDatasetExperiment: (_, args, { domain, caller }) =>
      domain.experiments.create(caller, args),
    createDatasetExperimentItem: (_, args, { domain, caller }) =>
      domain.experiments.createItem(caller, args),
    endDatasetExperiment: (_, args, { domain, caller }) => domain.experiments.end(caller, args),
    leaseDatasetExperimentItems: async (_, args, { domain, caller }) => ({
      leases: await domain.leases.lease(caller, args),
    }),
    retryDatasetExperimentItems: async (_, args, { domain, caller }) => ({
      count: await domain.leases.retry(caller, args),
    }),
    createDatasetExperimentItems: (_, args, { domain, caller }) =>
      domain.leases.createItems(caller, args),
  },
  DatasetExperiment: {
    dataset: ({ datasetId }, _, { loaders }) =>
      datasetId === null ? null : loaders.dataset.load(datasetId),
    itemCount: async ({ id }, _, { loaders }) => (await loaders.resultCount.load(id))?.count ?? 0,
    scores: ({ id }, _, { loaders }) => loaders.scoresOfExperiment.load(id),
    errorCount: async ({ id }, _, { loaders }) => (await loaders.failureCount.load(id))?.count ?? 0,
    measures: ({ id }, _, { loaders }) => loaders.measuresOfExperiment.load(id),
    outcomes: ({ id }, args, { domain, caller }) => domain.outcomes.list(caller, id, args),
    items: ({ id }, { datasetItemIds, keys, ...args }, { domain, caller }) =>
      domain.experiments.listItems(caller, id, args, { datasetItemIds, keys }),
  },
  DatasetExperimentConnection: connection(),
  DatasetExperimentItemConnection: connection(),
  ExperimentItemPlace: {
    experiment: ({ datasetExperimentId }, _, { loaders }) =>
      loaders.experiment.load(datasetExperimentId),
  },
  DatasetExperimentItem: {
    experiment: ({ datasetExperimentId }, _, { loaders }) =>
      loaders.experiment.load(datasetExperimentId),
    datasetItem: ({ datasetItemId }, _, { loaders }) =>
      datasetItemId === null ? null : loaders.datasetItem.load(datasetItemId),
    scores: ({ id }, _, { loaders }) => loaders.scoresOfItem.load(id),
    runCost: async ({ experimentRunId: run }, _, { loaders }) =>
      run === null ? null : dollars((await loaders.costOfRun.load(run))?.cost),
    runUnpricedCount: async ({ experimentRunId: run }, _, { loaders }) =>
      run === null ? null : ((await loaders.costOfRun.load(run))?.unpriced ?? null),
  },
} satisfies Resolvers
