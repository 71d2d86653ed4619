import type { Resolvers } from '../../../generated/resolvers.js'

export const models = {
  Query: {
    modelEndpoints: (_, __, { domain, caller }) => domain.modelEndpoints.list(caller),
  },
  Mutation: {
    setModelEndpoint: (_, args, { domain, caller }) => domain.modelEndpoints.set(caller, args),
    deleteModelEndpoint: (_, { id }, { domain, caller }) =>
      domain.modelEndpoints.delete(caller, id),
  },
  ModelEndpoint: {
    hasKey: ({ sealedKey }) => sealedKey !== null,
  },
} satisfies Resolvers
