import type { Resolvers } from '../../generated/resolvers.js'
import { checkProject } from '../domain/caller.js'
import { notFound } from '../domain/errors.js'
import type { LineageRow, PromptVersionRow } from '../storage/prompts.js'
import type { Context } from './context.js'

export const prompts: Resolvers = {
  Query: {
    promptLineage: (_, { name }, { domain, caller }) => domain.prompts.findLineage(caller, name),
    promptVersion: (_, args, { domain, caller }) => domain.prompts.findVersion(caller, args),
    promptLineageRollout: async (_, { projectId, lineageName }, { domain, caller }) => {
      checkProject(caller, projectId)
      const rollouts = await domain.prompts.rollouts(caller, lineageName)
      const cursorOf = (index: number) =>
        rollouts[index] === undefined ? null : String(rollouts[index].version)
      return {
        edges: rollouts.map((node) => ({ cursor: String(node.version), node })),
        pageInfo: {
          startCursor: cursorOf(0),
          endCursor: cursorOf(rollouts.length - 1),
          hasNextPage: false,
          hasPreviousPage: false,
        },
        totalCount: rollouts.length,
      }
    },
  },
  Mutation: {
    createPromptLineage: (_, args, { domain, caller }) =>
      domain.prompts.createLineage(caller, args),
    createPromptVersion: (_, args, { domain, caller }) =>
      domain.prompts.createVersion(caller, args),
    createPromptExperiment: (_, args, { domain, caller }) =>
      domain.prompts.createVariant(caller, args),
    updatePromptLineageRollout: async (_, { projectId, name, rollouts }, { domain, caller }) => {
      checkProject(caller, projectId)
      const problem = await domain.prompts.split(caller, name, rollouts)
      return {
        ok: problem === null,
        message: problem?.message ?? null,
        errorCode: problem?.errorCode ?? null,
      }
    },
  },
  PromptVersion: {
    lineage: (version, _, context) => lineageOf(version, context),
    updatedAt: ({ createdAt }) => createdAt,
    type: () => 'CHAT',
    label: () => null,
    status: () => null,
    tags: () => [],
    url: async (version, _, context) => {
      const { name } = await lineageOf(version, context)
      const query = `name=${encodeURIComponent(name)}&version=${version.version}`
      return `${context.origin}/projects/${context.caller.projectId}/playground?${query}`
    },
  },
  PromptExperiment: {
    projectId: (_, __, { caller }) => caller.projectId,
    projectUserId: () => null,
  },
}

const lineageOf = async (
  { lineageId }: PromptVersionRow,
  { loaders }: Context,
): Promise<LineageRow> => {
  const lineage = await loaders.lineage.load(lineageId)
  if (lineage === null) throw notFound('prompt lineage', lineageId)
  return lineage
}
