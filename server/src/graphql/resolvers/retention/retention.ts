import type { Resolvers } from '../../../../generated/resolvers.js'

export const retention = {
  Query: {
    retention: (_, __, { domain, caller }) => domain.retention.of(caller),
    retentionPreview: (_, args, { domain, caller }) => domain.retention.preview(caller, args),
  },
  Mutation: {
    setRetention: (_, args, { domain, caller }) => domain.retention.set(caller, args),
  },
  Retention: {
    deletedThreads: ({ deletions }) => deletions.threads,
    deletedSteps: ({ deletions }) => deletions.steps,
    lastDeletedAt: ({ deletions }) => deletions.at,
  },
} satisfies Resolvers
