import type { Resolvers } from '../../../generated/resolvers.js'
import { chartOf } from '../../domain/charts/chart-rules.js'

export const views = {
  View: { chart: chartOf },
  Query: {
    views: (_, { subject }, { domain, caller }) => domain.views.list(caller, subject ?? undefined),
  },
  Mutation: {
    createView: (_, args, { domain, caller }) => domain.views.create(caller, args),
    updateView: (_, args, { domain, caller }) => domain.views.update(caller, args),
    deleteView: (_, { id }, { domain, caller }) => domain.views.delete(caller, id),
  },
} satisfies Resolvers
