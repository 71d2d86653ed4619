import type { Resolvers } from '../../../generated/resolvers.js'
import { actorOf } from '../../domain/audit/entry.js'

export const projects = {
  Query: {
    project: (_, __, { domain, caller }) => domain.projects.of(caller),
    apiKeys: (_, __, { domain, caller }) => domain.keys.list(caller.projectId),
  },
  Mutation: {
    createApiKey: async (_, { name, scopes, expiresAt }, { domain, caller }) => {
      const { key, row } = await domain.keys.make(caller, {
        name,
        scopes,
        expiresAt: expiresAt ?? undefined,
      })
      return { key, apiKey: row }
    },
    setConversationEnd: (_, args, { domain, caller }) => domain.conversations.setEnd(caller, args),
    revokeApiKey: async (_, { id }, { domain, caller }) => {
      await domain.keys.revoke(actorOf(caller), caller.projectId, id)
      return { id }
    },
  },
  Project: {
    scopes: (_, __, { caller }) => [...caller.scopes],
    isEmpty: (_, __, { domain, caller }) => domain.projects.isEmpty(caller),
    conversationEnd: (_, __, { domain, caller }) => domain.conversations.end(caller),
    storage: (_, __, { domain, caller }) => domain.projects.storage(caller),
  },
} satisfies Resolvers
