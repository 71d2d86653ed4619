import type { Resolvers } from '../../../generated/resolvers.js'

export const outlines = {
  Query: {
    outline: (_, args, { domain, caller, expensive }) => {
      expensive('outline')
      return domain.outlines.find(caller, args)
    },
  },
  // The other fields are methods of the outline, which graphql-js calls on its own.
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
