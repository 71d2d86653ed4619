import type { Resolvers } from '../../../generated/resolvers.js'

export const outlines = {
  Query: {
    outline: (_, args, { domain, caller, expensive }) => {
      expensive('outline')
      return domain.outlines.find(caller, args)
    },
  },
  // The others are methods of the outline, which graphql-js calls by themselves.
  Outline: {
    skeleton: (outline, args, { expensive }) => {
      expensive('skeleton')
      return outline.skeleton(args)
    },
    matches: (outline, args, { expensive }) => {
      expensive('matches')
      return outline.matches(args)
    },
  },
} satisfies Resolvers
