import type { Resolvers } from '../../../generated/resolvers.js'

export const outlines: Resolvers = {
  Query: {
    outline: (_, args, { domain, caller, dear }) => {
      dear('outline')
      return domain.outlines.find(caller, args)
    },
  },
  // The others are methods of the tree, which graphql-js calls by themselves.
  Outline: {
    skeleton: (tree, args, { dear }) => {
      dear('skeleton')
      return tree.skeleton(args)
    },
    matches: (tree, args, { dear }) => {
      dear('matches')
      return tree.matches(args)
    },
  },
}
