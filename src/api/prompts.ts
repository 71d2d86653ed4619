import {
  CreatePromptLineageDocument,
  type CreatePromptLineageMutationVariables,
  CreatePromptVariantDocument,
  type CreatePromptVariantMutationVariables,
  CreatePromptVersionDocument,
  type CreatePromptVersionMutationVariables,
  GetLabelledPromptDocument,
  GetPromptAbTestingDocument,
  GetPromptDocument,
  GetPromptLabelsDocument,
  GetPromptLineageDocument,
  GetPromptLineagesDocument,
  GetPromptRolloutDocument,
  GetPromptUseDocument,
  type GetPromptUseQuery,
  type PromptLabelFieldsFragment,
  type PromptLineageFieldsFragment,
  RemovePromptLabelDocument,
  type RemovePromptLabelMutationVariables,
  SetPromptLabelDocument,
  type SetPromptLabelMutationVariables,
  UpdatePromptAbTestingDocument,
  type UpdatePromptAbTestingMutation,
  type UpdatePromptAbTestingMutationVariables,
} from '../../generated/operations.js'
import type {
  PromptVersionRollout,
  PromptVersionRolloutInput,
  PromptLabel as SchemaPromptLabel,
  PromptLineage as SchemaPromptLineage,
} from '../../generated/schema.js'
import { invalidArgument, StepwellError } from '../errors.js'
import type { PromptVersionFields } from '../prompts/fields.js'
import {
  type Prompt,
  promptFieldsOf,
  type SnakePrompt,
  toSnakePrompt,
  withMethods,
} from '../prompts/prompt.js'
import { drawVersion, type PromptRolloutCopy } from '../prompts/rollout.js'
import { copyOf, versionById, versionByLabel } from '../prompts/snapshot.js'
import type { PromptName, VariablesOf } from '../prompts/variables.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { variablesFor } from '../transport/variables.js'
import { type IdParam, idOf, type RawResult } from './calls/raw.js'
import type { GenerationMessage } from './generations.js'

/** A prompt's lineage as the service returns it. */
export type PromptLineage = Pick<SchemaPromptLineage, keyof PromptLineageFieldsFragment>

/** The weight of a version; its probability is its part of the sum of all weights. */
export type PromptRollout = Pick<PromptVersionRollout, 'version' | 'rollout'>

/** A label of a prompt, and the version that it leads to. */
export type PromptLabel = Pick<SchemaPromptLabel, keyof PromptLabelFieldsFragment>

/** A label, and the version that it leads to from now on. */
export type PromptLabelTarget = SetPromptLabelMutationVariables

/** Names a label of a prompt. */
export type PromptLabelName = RemovePromptLabelMutationVariables

type Settings = Record<string, unknown> | null | undefined
type Tools = unknown[] | Record<string, unknown> | null | undefined

/** A prompt to try in experiments. */
export interface PromptVariantDefinition
  extends Omit<CreatePromptVariantMutationVariables, 'fromLineageId'> {
  /** The prompt that it is a variant of. */
  name: string
  /** Messages with Mustache tags. */
  templateMessages: GenerationMessage[]
  /** Model, temperature and other settings, and the `provider`. */
  settings?: Settings
  tools?: Tools
}

export interface PromptDefinition extends Omit<CreatePromptVersionMutationVariables, 'lineageId'> {
  name: string
  /** Messages with Mustache tags. */
  templateMessages: GenerationMessage[]
  /** Model, temperature and other settings, and the `provider`. */
  settings?: Settings
  tools?: Tools
}

/** The weights of a prompt's versions. */
export interface PromptSplit extends Omit<UpdatePromptAbTestingMutationVariables, 'rollouts'> {
  rollouts: readonly PromptRollout[]
}

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

/** The outcome of the generations of a prompt version. */
export type PromptVersionUse = { version: number } & NonNullable<
  GetPromptUseQuery['promptLineage']
>['versions'][number]['use']

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
  const createLineage = async (
    lineage: CreatePromptLineageMutationVariables,
  ): Promise<PromptLineage | null> => {
    try {
      const variables = variablesFor(CreatePromptLineageDocument, lineage)
      return (await call(CreatePromptLineageDocument, variables)).createPromptLineage
    } catch (error) {
      // The contract: null when the values are not valid for a prompt.
      if (StepwellError.is(error) && REFUSALS.has(error.code)) return null
      throw error
    }
  }
  const createPromptLineage = (
    name: string,
    description?: string | null,
  ): Promise<PromptLineage | null> => createLineage({ name, description })
  const findPrompt = async (
    name: string,
    version?: number | PromptChoice | null,
    choice?: PromptChoice | null,
  ): Promise<Prompt | null> => {
    if (typeof version === 'object' && version !== null) return findPrompt(name, null, version)
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
        `version ${version} of ${name}`,
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

  const createVersion = async ({ name, tools, ...rest }: PromptDefinition): Promise<Prompt> => {
    const lineage = await createLineage({ name })
    if (lineage === null)
      throw invalidArgument(`name: no prompt can be called ${JSON.stringify(name)}`)
    const version = { ...rest, tools: listOf(tools), lineageId: lineage.id }
    const variables = variablesFor(CreatePromptVersionDocument, version)
    const { createPromptVersion } = await call(CreatePromptVersionDocument, variables)
    return withMethods(promptFieldsOf(createPromptVersion as PromptVersionFields))
  }
  const getOrCreatePrompt = (
    name: string,
    templateMessages: GenerationMessage[],
    settings?: Settings,
    tools?: Tools,
  ): Promise<Prompt> => createVersion({ name, templateMessages, settings, tools })

  const createVariant = async ({
    name,
    tools,
    ...rest
  }: PromptVariantDefinition): Promise<string> => {
    const { promptLineage } = await call(GetPromptLineageDocument, { name })
    const variant = { ...rest, tools: listOf(tools), fromLineageId: promptLineage?.id }
    const variables = variablesFor(CreatePromptVariantDocument, variant)
    const { createPromptExperiment } = await call(CreatePromptVariantDocument, variables)
    return (createPromptExperiment as { id: string }).id
  }
  const createPromptVariant = (
    name: string,
    templateMessages: GenerationMessage[],
    settings?: Settings,
    tools?: Tools,
  ): Promise<string> => createVariant({ name, templateMessages, settings, tools })

  const getPromptAbTesting = async (name: string): Promise<PromptRollout[] | null> => {
    const { edges } = (await call(GetPromptAbTestingDocument, { name })).promptLineageRollout
    return edges.length === 0 ? null : edges.map(({ node }) => node)
  }
  const split = async (params: PromptSplit): Promise<RawResult<UpdatePromptAbTestingMutation>> => {
    const rollouts = params.rollouts.map(
      ({ version, rollout }): Required<PromptVersionRolloutInput> => ({ version, rollout }),
    )
    const variables = variablesFor(UpdatePromptAbTestingDocument, { ...params, rollouts })
    const data = await call(UpdatePromptAbTestingDocument, variables)
    copies.forget(splitOf(params.name))
    return { data }
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

  const snakeLineage = async (
    params: Snake<CreatePromptLineageMutationVariables>,
  ): Promise<Snake<PromptLineage> | null> =>
    toSnake(
      await createLineage(camelKeys<CreatePromptLineageMutationVariables>(params)),
      'PromptLineage',
    )
  const getPromptLineages = async (): Promise<PromptLineage[]> =>
    (await call(GetPromptLineagesDocument, {})).promptLineages.edges.map(({ node }) => node)
  const snakePrompt = async (params: Snake<PromptDefinition>): Promise<SnakePrompt> =>
    toSnakePrompt(await createVersion(camelKeys<PromptDefinition>(params))) as SnakePrompt

  const getPromptLabels = async (name: string): Promise<PromptLabel[] | null> =>
    (await call(GetPromptLabelsDocument, { name })).promptLineage?.labels ?? null
  const setPromptLabel = async (params: PromptLabelTarget): Promise<PromptLabel[]> => {
    const variables = variablesFor(SetPromptLabelDocument, params)
    const data = await call(SetPromptLabelDocument, variables)
    copies.forget(labelledCopyOf(params.name, params.label))
    return data.setPromptLabel?.labels ?? []
  }
  const removePromptLabel = async (params: PromptLabelName): Promise<PromptLabel[]> => {
    const variables = variablesFor(RemovePromptLabelDocument, params)
    const data = await call(RemovePromptLabelDocument, variables)
    copies.forget(labelledCopyOf(params.name, params.label))
    return data.removePromptLabel?.labels ?? []
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
     * Creates the lineage of a prompt, without a version. When the name is taken, returns the existing one.
     *
     * @param description - Its purpose; null when omitted.
     * @returns the lineage; null when the name is empty, or a text larger than 1 MB.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `write`
     * @example
     * const lineage = await stepwell.api.createPromptLineage('greeting', 'The first message')
     * console.log(lineage?.id)
     */
    createPromptLineage,
    /**
     * Creates a prompt's lineage, or returns the existing one; `createPromptLineage` in the other spelling.
     *
     * @returns the lineage; null when the name is empty, or a text larger than 1 MB.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `write`
     * @example
     * const lineage = await stepwell.api.get_or_create_prompt_lineage({ name: 'greeting' })
     * console.log(lineage?.id)
     */
    get_or_create_prompt_lineage: snakeLineage,
    /**
     * Creates a prompt's lineage, or returns the existing one; `createPromptLineage` in the other spelling.
     *
     * @returns the lineage; null when the name is empty, or a text larger than 1 MB.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `write`
     * @example
     * const lineage = await stepwell.api.get_or_create_prompt_lineage({ name: 'greeting' })
     * console.log(lineage?.id)
     */
    create_prompt_lineage: snakeLineage,

    /**
     * Gets the version of a prompt with these messages, settings and tools. When there is none, creates it. So code can
     * carry its prompts, and a new version is created only when they change.
     *
     * @param templateMessages - Messages with Mustache tags.
     * @param settings - Model, temperature and other settings, and the `provider`; an object.
     * @param tools - The tools to offer to the model: a list of objects.
     * @returns the version, whether found or created.
     * @throws `INVALID_ARGUMENT` when the name is empty, a message is no object, or a template is broken.
     * @throws `TOO_LARGE` when the messages are larger than 1 MB.
     * @scope `write`
     * @example
     * const prompt = await stepwell.api.getOrCreatePrompt('support', [{ role: 'system', content: 'You work for {{shop}}.' }])
     * console.log(prompt.version)
     */
    getOrCreatePrompt,
    /**
     * Gets or creates the version of a prompt with these messages, settings and tools; `getOrCreatePrompt` in the other
     * spelling.
     *
     * @returns the version, whether found or created.
     * @throws `INVALID_ARGUMENT` when the name is empty, a message is no object, or a template is broken.
     * @throws `TOO_LARGE` when the messages are larger than 1 MB.
     * @scope `write`
     * @example
     * const prompt = await stepwell.api.get_or_create_prompt({
     *   name: 'support',
     *   template_messages: [{ role: 'system', content: 'You work for {{shop}}.' }],
     * })
     * console.log(prompt.version)
     */
    get_or_create_prompt: snakePrompt,

    /**
     * Gets the version of a prompt with these messages and settings. When there is none, creates it.
     *
     * @deprecated Use `getOrCreatePrompt`.
     * @returns the version, whether found or created.
     * @throws `INVALID_ARGUMENT` when the name is empty, a message is no object, or a template is broken.
     * @throws `TOO_LARGE` when the messages are larger than 1 MB.
     * @scope `write`
     * @example
     * const prompt = await stepwell.api.createPrompt('support', [{ role: 'system', content: 'You work for {{shop}}.' }])
     */
    createPrompt: getOrCreatePrompt,
    /**
     * Gets the version of a prompt with these messages and settings; creates it when there is none.
     *
     * @deprecated Use `get_or_create_prompt`.
     * @returns the version, whether found or created.
     * @throws `INVALID_ARGUMENT` when the name is empty, a message is no object, or a template is broken.
     * @throws `TOO_LARGE` when the messages are larger than 1 MB.
     * @scope `write`
     * @example
     * const prompt = await stepwell.api.create_prompt({ name: 'support', template_messages: [{ role: 'system', content: 'Hi' }] })
     */
    create_prompt: snakePrompt,

    /**
     * Creates a variant of a prompt to try in experiments, outside the versions of the prompt.
     *
     * @param templateMessages - Messages with Mustache tags.
     * @param settings - Model, temperature and other settings, and the `provider`; an object.
     * @param tools - The tools to offer to the model: a list of objects.
     * @returns the id of the variant, which `createExperiment` takes as `promptId`. When no prompt has the name, the
     *   variant has no lineage.
     * @throws `INVALID_ARGUMENT` when the name is empty, a message is no object, or a template is broken.
     * @throws `TOO_LARGE` when the messages are larger than 1 MB.
     * @scope `read`, and `write`
     * @example
     * const promptId = await stepwell.api.createPromptVariant('support', [{ role: 'system', content: 'Be brief.' }])
     * await stepwell.api.createExperiment({ name: 'brief', promptId })
     */
    createPromptVariant,
    /**
     * Creates a prompt to try in experiments; `createPromptVariant` in the other spelling.
     *
     * @returns the id of the variant, which `create_experiment` takes as `prompt_id`. When no prompt has the name, the
     *   variant has no lineage.
     * @throws `INVALID_ARGUMENT` when the name is empty, a message is no object, or a template is broken.
     * @throws `TOO_LARGE` when the messages are larger than 1 MB.
     * @scope `read`, and `write`
     * @example
     * const prompt_id = await stepwell.api.create_prompt_variant({
     *   name: 'support',
     *   template_messages: [{ role: 'system', content: 'Be brief.' }],
     * })
     */
    create_prompt_variant: (params: Snake<PromptVariantDefinition>): Promise<string> =>
      createVariant(camelKeys<PromptVariantDefinition>(params)),

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

/** The service's codes for invalid values. */
const REFUSALS: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'TOO_LARGE'])

/** Returns the cache key of a prompt's split and live versions. */
const splitOf = (name: string): string => `split of ${name}`

/** Returns the cache key of the version that a label of a prompt leads to. */
const labelledCopyOf = (name: string, label: string): string =>
  `label ${JSON.stringify(label)} of ${name}`

const toSnakeLabels = (labels: readonly PromptLabel[]): Snake<PromptLabel>[] =>
  labels.map((one) => toSnake(one, 'PromptLabel'))

/** The contract has tools as an object in one form and as a list in the other; the wire has a list. */
const listOf = (tools: Tools): unknown[] | null | undefined =>
  tools === null || tools === undefined || Array.isArray(tools) ? tools : [tools]
