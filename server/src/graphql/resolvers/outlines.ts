import type { Resolvers } from '../../../generated/resolvers.js'

export const outlines = {
  Query: {
    outline: (_, args, { domain, caller }) => domain.outlines.find(caller, args),
  },
  // The fields of an outline are its methods, which graphql-js calls on its own.
} satisfies Resolvers
