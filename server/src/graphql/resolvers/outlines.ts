import type { Resolvers } from '../../../generated/resolvers.js'

export const outlines: Resolvers = {
  Query: {
    outline: (_, args, { domain, caller, expensive }) => {
      expensive('outline')
      return domain.outlines.find(caller, args)
    },
  },
  // The others are methods of the tree, which graphql-js calls by themselves.
  Outline: {
    skeleton: (tree, args, { expensive }) => {
      expensive('skeleton')
      return tree.skeleton(args)
    },
    matches: (tree, args, { expensive }) => {
      expensive('matches')
      return tree.matches(args)
    },
  },
}
