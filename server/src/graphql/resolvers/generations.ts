import type { Resolvers } from '../../../generated/resolvers.js'
import { type GenerationRow, generationOf } from '../../storage/generations.js'
import { connection, pageRequest } from '../engine/connection.js'
import { generationAnswer } from '../engine/receipts.js'
import { int } from '../engine/scalars.js'

export const generations = {
  Query: {
    generations: async (_, args, { domain, caller, parts }) => {
      const page = await domain.steps.listGenerations(caller, pageRequest(caller, args), parts)
      return {
        ...page,
        rows: page.rows.map((step) => ({
          ...(generationOf(caller.projectId, step) as GenerationRow),
          cursor: step.cursor,
        })),
      }
    },
  },
  Mutation: {
    createGeneration: async (_, { generation }, context) => {
      const { domain, caller } = context
      const { id, tags, metadata } = generation
      // Released clients copy these to the step, and read them there.
      const step = await domain.steps.create(caller, {
        id: id ?? '',
        type: 'llm',
        generation,
        tags,
        metadata,
      })
      return generationAnswer(context, generationOf(caller.projectId, step), step.id, generation)
    },
  },
  GenerationConnection: connection(),
  Generation: {
    tokenCount: ({ tokenCount }) => int(tokenCount),
    inputExcerpt: async ({ id }, _, { loaders }) => (await loaders.excerpt.load(id))?.input ?? null,
    outputExcerpt: async ({ id }, _, { loaders }) =>
      (await loaders.excerpt.load(id))?.output ?? null,
    step: ({ id }, _, { loaders }) => loaders.step.load(id),
  },
} satisfies Resolvers
