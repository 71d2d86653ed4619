import type { Resolvers } from '../../../generated/resolvers.js'

export const metrics: Resolvers = {
  Query: {
    metrics: (_, args, { domain, caller, dear }) => {
      dear('metrics')
      return domain.metrics.measure(caller, args)
    },
    facets: (_, args, { domain, caller, dear }) => {
      dear('facets')
      return domain.metrics.facets(caller, args)
    },
  },
}
