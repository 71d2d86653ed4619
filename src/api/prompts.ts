import {
  CreatePromptLineageDocument,
  type CreatePromptLineageMutationVariables,
  CreatePromptVariantDocument,
  type CreatePromptVariantMutationVariables,
  CreatePromptVersionDocument,
  type CreatePromptVersionMutationVariables,
  GetLabelledPromptDocument,
  GetPromptDocument,
  GetPromptLineageDocument,
  GetPromptLineagesDocument,
  GetPromptRolloutDocument,
  type PromptLineageFieldsFragment,
} from '../../generated/operations.js'
import type { PromptLineage as SchemaPromptLineage } from '../../generated/schema.js'
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
import { type IdParam, idOf } from './calls/raw.js'
import type { GenerationMessage } from './generations.js'
import { labelledCopyOf } from './prompts/labels.js'
import { splitOf } from './prompts/splits.js'

/** A prompt's lineage as the service returns it. */
export type PromptLineage = Pick<SchemaPromptLineage, keyof PromptLineageFieldsFragment>

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

  return {
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

/** The contract has tools as an object in one form and as a list in the other; the wire has a list. */
const listOf = (tools: Tools): unknown[] | null | undefined =>
  tools === null || tools === undefined || Array.isArray(tools) ? tools : [tools]
