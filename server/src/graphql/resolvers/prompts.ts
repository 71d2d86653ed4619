import type { Resolvers } from '../../../generated/resolvers.js'
import { rolloutsOf } from '../../domain/prompts/rollouts.js'
import { checkProject } from '../../kernel/caller.js'
import { notFound } from '../../kernel/errors.js'
import type { LineageRow, PromptVersionRow } from '../../storage/prompts.js'
import type { Context } from '../engine/context.js'

export const prompts = {
  Query: {
    promptLineage: (_, { name }, { domain, caller }) => domain.prompts.findLineage(caller, name),
    promptVersion: (_, args, { domain, caller }) => domain.prompts.findVersion(caller, args),
    promptLineages: async (_, __, { domain, caller }) =>
      onOnePage(await domain.prompts.allLineages(caller), ({ name }) => name),
    promptRollout: (_, { name }, { domain, caller }) => domain.prompts.rollout(caller, name),
    promptLineageRollout: async (_, { projectId, lineageName }, { domain, caller }) => {
      checkProject(caller, projectId)
      const rollouts = await domain.prompts.rollouts(caller, lineageName)
      return onOnePage(rollouts, ({ version }) => String(version))
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
    setPromptLabel: (_, { name, label, version }, { domain, caller }) =>
      domain.promptLabels.move(caller, name, label, version),
    removePromptLabel: (_, { name, label }, { domain, caller }) =>
      domain.promptLabels.move(caller, name, label, null),
    promotePromptVersion: (_, { lineageId, version }, { domain, caller }) =>
      domain.prompts.promote(caller, lineageId, version),
  },
  PromptVersion: {
    lineage: (version, _, context) => lineageOf(version, context),
    updatedAt: ({ createdAt }) => createdAt,
    type: () => 'CHAT',
    label: () => null,
    status: () => null,
    tags: () => [],
    use: ({ id }, { since }, { loaders }) => loaders.promptUse(since ?? '').load(id),
    url: async (version, _, context) => {
      const { name } = await lineageOf(version, context)
      const query = `name=${encodeURIComponent(wellFormed(name))}&version=${version.version}`
      return `${context.origin}/projects/${context.caller.projectId}/playground?${query}`
    },
  },
  PromptLineage: {
    versions: ({ id }, _, { domain, caller }) => domain.prompts.versions(caller, id),
    rollouts: (lineage) => rolloutsOf(lineage),
    labels: ({ labels }) => labels ?? [],
    labelMoves: ({ id }, _, { domain, caller }) => domain.promptLabels.moves(caller, id),
    championId: (lineage, _, { domain, caller }) => domain.prompts.champion(caller, lineage),
  },
  PromptRollout: {
    labels: ({ lineage }) => lineage.labels ?? [],
    labelledVersions: (rollout, _, { domain, caller }) =>
      domain.prompts.labelledVersions(caller, rollout),
  },
  PromptExperiment: {
    projectId: (_, __, { caller }) => caller.projectId,
    projectUserId: () => null,
  },
} satisfies Resolvers

/** A name may contain a lone surrogate, which no URL can. */
const wellFormed = (text: string): string =>
  text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')

/** Returns a list that is never long as a connection. */
const onOnePage = <Row>(rows: readonly Row[], cursorOf: (row: Row) => string) => {
  const edges = rows.map((node) => ({ cursor: cursorOf(node), node }))
  return {
    edges,
    pageInfo: {
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
      hasNextPage: false,
      hasPreviousPage: false,
    },
    totalCount: rows.length,
  }
}

const lineageOf = async (
  { lineageId }: PromptVersionRow,
  { loaders }: Context,
): Promise<LineageRow> => {
  const lineage = await loaders.lineage.load(lineageId)
  if (lineage === null) throw notFound('prompt lineage', lineageId)
  return lineage
}
