import type { Resolvers } from '../../../generated/resolvers.js'

export const metrics = {
  Query: {
    metrics: (_, args, { domain, caller }) => domain.metrics.measure(caller, args),
    facets: (_, args, { domain, caller }) => domain.metrics.facets(caller, args),
  },
} satisfies Resolvers
