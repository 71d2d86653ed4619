import type { Resolvers } from '../../generated/resolvers.js'

export const outlines: Resolvers = {
  Query: {
    outline: (_, args, { domain, caller }) => domain.outlines.find(caller, args),
  },
  // Its methods are the rest: graphql-js calls them with the arguments of the field.
}
