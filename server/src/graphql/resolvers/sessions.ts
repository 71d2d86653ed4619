import type { Resolvers } from '../../../generated/resolvers.js'

export const sessions = {
  Query: {
    session: (_, { id }, { domain, caller }) => domain.sessions.find(caller, id),
  },
  ClientSession: {
    missing: ({ recorded, received }) => Math.max(0, recorded - received),
    losses: ({ id }, _, { loaders }) => loaders.lossesOfSession.load(id),
  },
} satisfies Resolvers
