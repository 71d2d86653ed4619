import type { Resolvers } from '../../../generated/resolvers.js'
import { connection, pageRequest } from '../engine/connection.js'
import { int } from '../engine/scalars.js'

export const users = {
  Query: {
    participants: (_, args, { domain, caller }) =>
      domain.users.list(caller, pageRequest(caller, args)),
    participant: (_, args, { domain, caller }) => domain.users.find(caller, args),
  },
  Mutation: {
    createParticipant: (_, args, { domain, caller }) => domain.users.create(caller, args),
    updateParticipant: (_, args, { domain, caller }) => domain.users.update(caller, args),
    deleteParticipant: (_, { id }, { domain, caller }) => domain.users.delete(caller, id),
    deleteParticipantData: (_, { identifier, copies, dryRun }, { domain, caller }) =>
      domain.erasure.delete(caller, {
        identifier,
        copies: copies ?? true,
        isDryRun: dryRun ?? false,
      }),
  },
  ParticipantConnection: connection(),
  Participant: {
    firstEngaged: async ({ id }, _, { loaders }) =>
      (await loaders.usage.load(id))?.firstEngaged ?? null,
    lastEngaged: async ({ id }, _, { loaders }) =>
      (await loaders.usage.load(id))?.lastEngaged ?? null,
    threadCount: async ({ id }, _, { loaders }) => (await loaders.usage.load(id))?.threadCount ?? 0,
    tokenCount: async ({ id }, _, { loaders }) =>
      int((await loaders.usage.load(id))?.tokenCount ?? 0),
    errorCount: async ({ id }, _, { loaders }) => (await loaders.usage.load(id))?.errorCount ?? 0,
    cost: async ({ id }, _, { loaders }) => (await loaders.usage.load(id))?.cost ?? null,
    unpricedCount: async ({ id }, _, { loaders }) =>
      (await loaders.usage.load(id))?.unpricedCount ?? 0,
  },
} satisfies Resolvers
