import type { Resolvers } from '../../../generated/resolvers.js'
import { type GenerationRow, generationOf } from '../../storage/generations.js'
import { connection, pageRequest } from '../engine/connection.js'
import type { Context } from '../engine/context.js'
import { readableAnswer, readableMessages, readableTools } from '../engine/python-client.js'
import { generationAnswer, Receipt } from '../engine/receipts.js'
import { int } from '../engine/scalars.js'
import { dollars, sourceOf } from './prices.js'

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
    messages: ({ messages }, _, { caller: { pythonClient: client } }) =>
      client === undefined ? messages : readableMessages(messages, client),
    messageCompletion: ({ messageCompletion: answer }, _, { caller: { pythonClient: client } }) =>
      client === undefined ? answer : readableAnswer(answer, client),
    tools: ({ tools }, _, { caller: { pythonClient: client } }) =>
      client === undefined ? tools : readableTools(tools),
    tokenCount: ({ tokenCount }) => int(tokenCount),
    inputExcerpt: async ({ id }, _, { loaders }) => (await loaders.excerpt.load(id))?.input ?? null,
    outputExcerpt: async ({ id }, _, { loaders }) =>
      (await loaders.excerpt.load(id))?.output ?? null,
    cost: async (generation, _, context) => dollars((await priced(generation, context)).cost),
    costSource: async (generation, _, context) =>
      sourceOf((await priced(generation, context)).source),
    isCostPartial: async (generation, _, context) => (await priced(generation, context)).isPartial,
    costDetails: (generation, _, { loaders }) =>
      generation instanceof Receipt ? null : loaders.costOfCall.load(generation.id),
    step: ({ id }, _, { loaders }) => loaders.step.load(id),
  },
} satisfies Resolvers

const WITHOUT_COST = { cost: null, source: null, isPartial: false }

/** Returns the stored cost of a call, or the one by the present prices while none is stored. */
const priced = async (generation: GenerationRow, { loaders }: Context) => {
  if (generation instanceof Receipt) return WITHOUT_COST
  const { id, cost, costSource: source, isCostPartial: isPartial, costRevision } = generation
  if (costRevision > 0) return { cost, source, isPartial }
  return (await loaders.costOfCall.load(id)) ?? WITHOUT_COST
}
