import {
  GetPromptLabelsDocument,
  type PromptLabelFieldsFragment,
  RemovePromptLabelDocument,
  type RemovePromptLabelMutationVariables,
  SetPromptLabelDocument,
  type SetPromptLabelMutationVariables,
} from '../../../generated/operations.js'
import type { PromptLabel as SchemaPromptLabel } from '../../../generated/schema.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'

/** A label of a prompt, and the version that it leads to. */
export type PromptLabel = Pick<SchemaPromptLabel, keyof PromptLabelFieldsFragment>

/** A label, and the version that it leads to from now on. */
export type PromptLabelTarget = SetPromptLabelMutationVariables

/** Names a label of a prompt. */
export type PromptLabelName = RemovePromptLabelMutationVariables

/** @internal Returns the cache key of the version that a label of a prompt leads to. */
export const labelledCopyOf = (name: string, label: string): string =>
  `label ${JSON.stringify(label)} of ${name}`

export const labelsApi = ({ call, copies }: Transport) => {
  const getPromptLabels = async (name: string): Promise<PromptLabel[] | null> =>
    (await call(GetPromptLabelsDocument, { name })).promptLineage?.labels ?? null
  const setPromptLabel = async (params: PromptLabelTarget): Promise<PromptLabel[]> => {
    const data = await call(SetPromptLabelDocument, params)
    copies.forget(labelledCopyOf(params.name, params.label))
    return data.setPromptLabel?.labels ?? []
  }
  const removePromptLabel = async (params: PromptLabelName): Promise<PromptLabel[]> => {
    const data = await call(RemovePromptLabelDocument, params)
    copies.forget(labelledCopyOf(params.name, params.label))
    return data.removePromptLabel?.labels ?? []
  }

  return {
    /**
     * Lists the labels of a prompt, each with the version that it leads to.
     *
     * @returns the labels, by name; null when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `read`
     * @example
     * for (const { name, version } of (await stepwell.api.getPromptLabels('support')) ?? []) console.log(name, version)
     */
    getPromptLabels,
    /**
     * Lists the labels of a prompt; `getPromptLabels` in the other spelling.
     *
     * @returns the labels, by name; null when no prompt has this name.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `read`
     * @example
     * const labels = await stepwell.api.get_prompt_labels({ name: 'support' })
     * console.log(labels?.[0]?.moved_at)
     */
    get_prompt_labels: async (params: {
      /** The prompt's name. */
      name: string
    }): Promise<Snake<PromptLabel>[] | null> => {
      const labels = await getPromptLabels(params.name)
      return labels && toSnakeLabels(labels)
    },

    /**
     * Moves a label of a prompt to one of its versions, at once for all callers. Creates the label when the prompt has
     * none of this name.
     *
     * @returns the labels of the prompt as they are now, by name.
     * @throws `INVALID_ARGUMENT` when the name or the label is empty, or the prompt has no such version.
     * @throws `NOT_FOUND` when no prompt has this name.
     * @scope `write`
     * @example
     * await stepwell.api.setPromptLabel({ name: 'support', label: 'production', version: 1 })
     */
    setPromptLabel,
    /**
     * Moves a label of a prompt to one of its versions; `setPromptLabel` in the other spelling.
     *
     * @returns the labels of the prompt as they are now, by name.
     * @throws `INVALID_ARGUMENT` when the name or the label is empty, or the prompt has no such version.
     * @throws `NOT_FOUND` when no prompt has this name.
     * @scope `write`
     * @example
     * await stepwell.api.set_prompt_label({ name: 'support', label: 'production', version: 1 })
     */
    set_prompt_label: async (params: Snake<PromptLabelTarget>): Promise<Snake<PromptLabel>[]> =>
      toSnakeLabels(await setPromptLabel(camelKeys<PromptLabelTarget>(params))),

    /**
     * Removes a label of a prompt. The version stays.
     *
     * @returns the remaining labels of the prompt, by name.
     * @throws `INVALID_ARGUMENT` when the name is empty, or the prompt has no such label.
     * @throws `NOT_FOUND` when no prompt has this name.
     * @scope `write`
     * @example
     * await stepwell.api.setPromptLabel({ name: 'support', label: 'trial', version: 0 })
     * await stepwell.api.removePromptLabel({ name: 'support', label: 'trial' })
     */
    removePromptLabel,
    /**
     * Removes a label of a prompt; `removePromptLabel` in the other spelling.
     *
     * @returns the remaining labels of the prompt, by name.
     * @throws `INVALID_ARGUMENT` when the name is empty, or the prompt has no such label.
     * @throws `NOT_FOUND` when no prompt has this name.
     * @scope `write`
     * @example
     * await stepwell.api.set_prompt_label({ name: 'support', label: 'trial', version: 0 })
     * await stepwell.api.remove_prompt_label({ name: 'support', label: 'trial' })
     */
    remove_prompt_label: async (params: Snake<PromptLabelName>): Promise<Snake<PromptLabel>[]> =>
      toSnakeLabels(await removePromptLabel(camelKeys<PromptLabelName>(params))),
  }
}

const toSnakeLabels = (labels: readonly PromptLabel[]): Snake<PromptLabel>[] =>
  labels.map((one) => toSnake(one, 'PromptLabel'))
