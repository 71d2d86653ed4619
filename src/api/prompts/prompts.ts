import {
  GetLabelledPromptDocument,
  GetPromptDocument,
  GetPromptLineagesDocument,
  GetPromptRolloutDocument,
  type PromptLineageFieldsFragment,
} from '../../../generated/operations.js'
import type { PromptLineage as SchemaPromptLineage } from '../../../generated/schema.js'
import { invalidArgument } from '../../errors.js'
import type { PromptVersionFields } from '../../prompts/fields.js'
import {
  type Prompt,
  promptFieldsOf,
  type SnakePrompt,
  toSnakePrompt,
  withMethods,
} from '../../prompts/prompt.js'
import { drawVersion, type PromptRolloutCopy } from '../../prompts/rollout.js'
import { copyOf, versionById, versionByLabel } from '../../prompts/snapshot.js'
import type { PromptName, VariablesOf } from '../../prompts/variables.js'
import { type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import { type IdParam, idOf } from '../calls/raw.js'
import { labelledCopyOf } from './labels.js'
import { splitOf } from './splits.js'

/** A prompt's lineage as the service returns it. */
export type PromptLineage = Pick<SchemaPromptLineage, keyof PromptLineageFieldsFragment>

/** Chooses a version of a prompt. */
export interface PromptChoice {
  /**
   * Stays with its version while the split stands: the id of a participant or thread, say. Without it each call
   * draws anew.
   */
  key?: string | null | undefined
  /** A label of the prompt, `production` for example: its version is returned, whatever the split and the key. */
  label?: string | null | undefined
}

export const promptsApi = ({ call, copies, snapshot }: Transport) => {
  const rolloutOf = async (name: string): Promise<PromptRolloutCopy | null> => {
    const { promptRollout } = await call(GetPromptRolloutDocument, { name })
    // A prompt without a version cannot be returned or cached.
    return promptRollout === null || promptRollout.versions.length === 0
      ? null
      : {
          lineageId: promptRollout.lineage.id,
          segments: promptRollout.segments,
          versions: promptRollout.versions.map(promptFieldsOf),
        }
  }
  const fieldsOf = async (by: { id?: string; name?: string; version?: number }) => {
    const { promptVersion } = await call(GetPromptDocument, by)
    return promptVersion && promptFieldsOf(promptVersion)
  }
  const findPrompt = async (
    name: string,
    version?: number | PromptChoice | null,
    choice?: PromptChoice | null,
  ): Promise<Prompt | null> => {
    if (typeof version === 'object' && version !== null) return findPrompt(name, null, version)
    // Misspelt, a label would be a draw by the split; an object as key, one version for everybody.
    for (const [field, value] of Object.entries(choice ?? {}))
      if (!/^(id|name|version|key|label)$/.test(field))
        throw invalidArgument(`${field}: expected key or label`)
      else if (field === 'key' && value && !/string|number/.test(typeof value))
        throw invalidArgument('key: expected a string')
    const known = copyOf(snapshot, name)
    const label = choice?.label
    if (label !== null && label !== undefined) {
      if (version !== null && version !== undefined)
        throw invalidArgument('version, label: expected one of them, got both')
      const fields = await copies.get(
        labelledCopyOf(name, label),
        async () => {
          const { promptVersion } = await call(GetLabelledPromptDocument, { name, label })
          return promptVersion && promptFieldsOf(promptVersion)
        },
        known && versionByLabel(known, label),
      )
      return fields && withMethods(fields)
    }
    if (version !== null && version !== undefined) {
      const held = copies.held<PromptRolloutCopy>(splitOf(name)) ?? known
      const fields = await copies.get(
        `version ${String(version)} of ${name}`,
        () => fieldsOf({ name, version }),
        held?.versions.find((one) => one.version === version),
      )
      return fields && withMethods(fields)
    }
    const rollout = await copies.get(splitOf(name), () => rolloutOf(name), known)
    const drawn = rollout && drawVersion(rollout, choice?.key)
    return drawn && withMethods(drawn)
  }
  // The type of its variables follows from the type of its name.
  const getPrompt = findPrompt as <Name extends PromptName>(
    name: Name,
    version?: number | PromptChoice | null,
    choice?: PromptChoice,
  ) => Promise<Prompt<VariablesOf<Name>> | null>
  const getPromptById = async (id: string): Promise<Prompt | null> => {
    const known = versionById(snapshot, id)
    const fields = await copies.get(`id ${id}`, () => fieldsOf({ id }), known)
    return fields && withMethods(fields)
  }

  const getPromptWithQuery = async (
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<Prompt | null> => {
    const { promptVersion } = await call<{ promptVersion?: PromptVersionFields | null }, object>(
      query,
      variables,
    )
    return promptVersion ? withMethods(promptFieldsOf(promptVersion)) : null
  }

  const getPromptLineages = async (): Promise<PromptLineage[]> =>
    (await call(GetPromptLineagesDocument, {})).promptLineages.edges.map(({ node }) => node)

  return {
    /**
     * Gets a version of a prompt by its id. When the service can't be reached, returns the last copy or that of the
     * snapshot.
     *
     * @returns the version; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NETWORK`, `TIMEOUT` or `UNAVAILABLE` when the service can't be reached and there is no copy.
     * @scope `read`
     * @example
     * const prompt = await stepwell.api.getPromptById(promptId)
     * console.log(prompt?.name, prompt?.version)
     */
    getPromptById,
    /**
     * Gets a version of a prompt by its id; `getPromptById` in the other spelling.
     *
     * @returns the version; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `NETWORK`, `TIMEOUT` or `UNAVAILABLE` when the service can't be reached and there is no copy.
     * @scope `read`
     * @example
     * const prompt = await stepwell.api.get_prompt_by_id(promptId)
     * console.log(prompt?.template_messages)
     */
    get_prompt_by_id: async (prompt: IdParam): Promise<SnakePrompt | null> =>
      toSnakePrompt(await getPromptById(idOf(prompt))),

    /**
     * Gets a prompt by name: the given version, the one with a label, or one drawn by the prompt's split. Until somebody
     * sets a split, that is version 0. A `key` always gets the same version while the split stands. When the service
     * can't be reached, returns the last copy or that of the snapshot, within a second.
     *
     * @param version - The number of a version; omitted or null draws one by the split. The choice may take its place.
     * @param choice - Chooses the version: by a label, or by a key for the split.
     * @returns the version; null when there is no such prompt or version.
     * @throws `INVALID_ARGUMENT` when the name is empty, the version is no whole number, the prompt has no such label, or
     *   when there are both a version and a label.
     * @throws `NETWORK`, `TIMEOUT` or `UNAVAILABLE` when the service can't be reached and there is no copy.
     * @scope `read`
     * @example
     * const prompt = await stepwell.api.getPrompt('support', { key: userId })
     * const messages = prompt?.format({ shop: 'Ada’s' })
     */
    getPrompt,
    /**
     * Gets a prompt by id, or by name and version or label; the id wins. `getPrompt` in the other spelling.
     *
     * @returns the version; null when there is no such prompt or version.
     * @throws `INVALID_ARGUMENT` when there is neither an id nor a name, or when the prompt has no such label.
     * @throws `NETWORK`, `TIMEOUT` or `UNAVAILABLE` when the service can't be reached and there is no copy.
     * @scope `read`
     * @example
     * const prompt = await stepwell.api.get_prompt({ name: 'support', version: 0 })
     * const messages = prompt?.format({ shop: 'Ada’s' })
     */
    get_prompt: async <Name extends PromptName>(
      params: {
        /** The id of a version. */
        id?: string | null | undefined
        /** The prompt's name. */
        name?: Name | null | undefined
        /** The number of a version; omitted or null draws one by the split. */
        version?: number | null | undefined
      } & PromptChoice,
    ): Promise<SnakePrompt<VariablesOf<Name>> | null> => {
      const { id, name, version } = params
      if (!id && !name) throw invalidArgument('id, name: expected one of them, got neither')
      const prompt = id
        ? await getPromptById(id)
        : await findPrompt(name as string, version, params)
      return toSnakePrompt(prompt) as SnakePrompt<VariablesOf<Name>> | null
    },

    /**
     * Lists all prompts of the project, without their versions.
     *
     * @returns the lineages, by name; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name } of await stepwell.api.getPromptLineages()) console.log(name)
     */
    getPromptLineages,
    /**
     * Lists all prompts of the project; `getPromptLineages` in the other spelling.
     *
     * @returns the lineages, by name; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, created_at } of await stepwell.api.get_prompt_lineages()) console.log(name, created_at)
     */
    get_prompt_lineages: async (): Promise<Snake<PromptLineage>[]> =>
      (await getPromptLineages()).map((lineage) => toSnake(lineage, 'PromptLineage')),

    /**
     * Gets a prompt by a GraphQL query of your own, whose answer has `promptVersion`.
     *
     * @param variables - The variables of the query; none when omitted.
     * @returns the version; null when `promptVersion` is null or missing.
     * @throws `BAD_REQUEST` when the query does not fit the schema.
     * @throws `INVALID_ARGUMENT` when the query is empty or no GraphQL.
     * @scope that of the query
     * @example
     * const query = 'query Prompt($name: String!) { promptVersion(name: $name) { id version lineage { name } } }'
     * const prompt = await stepwell.api.getPromptWithQuery(query, { name: 'support' })
     * console.log(prompt?.version)
     */
    getPromptWithQuery,
    /**
     * Gets a prompt by a query of your own; `getPromptWithQuery` in the other spelling.
     *
     * @returns the version; null when `prompt_version` is null or missing.
     * @throws `BAD_REQUEST` when the query does not fit the schema.
     * @throws `INVALID_ARGUMENT` when the query is empty or no GraphQL.
     * @scope that of the query
     * @example
     * const query = '{ promptVersion(name: "support") { id version lineage { name } } }'
     * const prompt = await stepwell.api.get_prompt_with_query({ query })
     */
    get_prompt_with_query: async (params: {
      /** The query, as GraphQL text. */
      query: string
      /** The variables of the query. Default: none. */
      variables?: Record<string, unknown>
    }): Promise<SnakePrompt | null> =>
      toSnakePrompt(await getPromptWithQuery(params.query, params.variables)),
  }
}
