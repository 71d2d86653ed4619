import {
  GetPromptAbTestingDocument,
  GetPromptUseDocument,
  type GetPromptUseQuery,
  UpdatePromptAbTestingDocument,
  type UpdatePromptAbTestingMutation,
  type UpdatePromptAbTestingMutationVariables,
} from '../../../generated/operations.js'
import type { PromptVersionRollout, PromptVersionRolloutInput } from '../../../generated/schema.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import type { RawResult } from '../calls/raw.js'

/** The weight of a version; its probability is its part of the sum of all weights. */
export type PromptRollout = Pick<PromptVersionRollout, 'version' | 'rollout'>

/** The weights of a prompt's versions. */
export interface PromptSplit extends Omit<UpdatePromptAbTestingMutationVariables, 'rollouts'> {
  rollouts: readonly PromptRollout[]
}

/** The outcome of the generations of a prompt version. */
export type PromptVersionUse = { version: number } & NonNullable<
  GetPromptUseQuery['promptLineage']
>['versions'][number]['use']

/** @internal Returns the cache key of a prompt's split and live versions. */
export const splitOf = (name: string): string => `split of ${name}`

export const splitsApi = ({ call, copies }: Transport) => {
  const getPromptAbTesting = async (name: string): Promise<PromptRollout[] | null> => {
    const { edges } = (await call(GetPromptAbTestingDocument, { name })).promptLineageRollout
    return edges.length === 0 ? null : edges.map(({ node }) => node)
  }
  const split = async (params: PromptSplit): Promise<RawResult<UpdatePromptAbTestingMutation>> => {
    const rollouts = params.rollouts.map(
      ({ version, rollout }): Required<PromptVersionRolloutInput> => ({ version, rollout }),
    )
    const data = await call(UpdatePromptAbTestingDocument, { ...params, rollouts })
    copies.forget(splitOf(params.name))
    return { data }
  }
  const getPromptUse = async (name: string, since?: string | null): Promise<PromptVersionUse[]> =>
    ((await call(GetPromptUseDocument, { name, since })).promptLineage?.versions ?? []).map(
      ({ version, use }) => ({ version, ...use }),
    )

  return {
    /**
     * Sums up the generations of each version of a prompt: the newest 10,000 of each. Durations are seconds.
     *
     * @param since - Counts only generations from this moment on, ISO 8601; all when omitted or null.
     * @returns the sums, the newest version first; an empty list when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `read`
     * @example
     * for (const { version, generationCount } of await stepwell.api.getPromptUse('support', from))
     *   console.log(version, generationCount)
     */
    getPromptUse,
    /**
     * Sums up the generations of a prompt's versions; `getPromptUse` in the other spelling.
     *
     * @returns the sums, the newest version first; an empty list when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `read`
     * @example
     * for (const { version, error_count } of await stepwell.api.get_prompt_use({ name: 'support' }))
     *   console.log(version, error_count)
     */
    get_prompt_use: async (params: {
      /** The prompt's name. */
      name: string
      /** Counts only generations from this moment on, ISO 8601. When omitted or null, all count. */
      since?: string | null
    }): Promise<Snake<PromptVersionUse>[]> =>
      (await getPromptUse(params.name, params.since)).map((use) => toSnake(use, 'PromptUse')),

    /**
     * Gets the split of a prompt's calls between its versions.
     *
     * @returns the weights by version; null when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `read`
     * @example
     * for (const { version, rollout } of (await stepwell.api.getPromptAbTesting('support')) ?? []) console.log(version, rollout)
     */
    getPromptAbTesting,
    /**
     * Gets the split of a prompt's calls; `getPromptAbTesting` in the other spelling.
     *
     * @returns the weights by version; null when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `read`
     * @example
     * const split = await stepwell.api.get_prompt_ab_testing({ name: 'support' })
     */
    get_prompt_ab_testing: (
      params:
        | string
        | {
            /** The prompt's name. */
            name: string
          },
    ): Promise<PromptRollout[] | null> =>
      getPromptAbTesting(typeof params === 'string' ? params : params.name),

    /**
     * Splits the calls of a prompt between its versions, in place of the earlier split. A split that the service
     * refuses is not thrown.
     *
     * @param rollouts - A weight of 0 or more for each version that takes part; at least one is above 0.
     * @returns the raw answer. When the split is invalid, `ok` of `data.updatePromptLineageRollout` is false, with a
     *   `message` and an `errorCode`: `UNKNOWN_LINEAGE` when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty, or when the list is no list.
     * @scope `write`
     * @example
     * await stepwell.api.updatePromptAbTesting('support', [{ version: 0, rollout: 60 }, { version: 1, rollout: 40 }])
     */
    updatePromptAbTesting: (
      name: string,
      rollouts: readonly PromptRollout[],
    ): Promise<RawResult<UpdatePromptAbTestingMutation>> => split({ name, rollouts }),
    /**
     * Splits the calls of a prompt; `updatePromptAbTesting` in the other spelling.
     *
     * @returns the raw answer. When the split is invalid, `ok` of `data.updatePromptLineageRollout` is false, with a
     *   `message` and an `error_code`: `UNKNOWN_LINEAGE` when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty, or when the list is no list.
     * @scope `write`
     * @example
     * await stepwell.api.update_prompt_ab_testing({ name: 'support', rollouts: [{ version: 0, rollout: 1 }] })
     */
    update_prompt_ab_testing: (params: Snake<PromptSplit>) => split(camelKeys<PromptSplit>(params)),
  }
}
