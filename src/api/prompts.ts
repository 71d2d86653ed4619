import {
  CreatePromptLineageDocument,
  type CreatePromptLineageMutationVariables,
  CreatePromptVariantDocument,
  type CreatePromptVariantMutationVariables,
  CreatePromptVersionDocument,
  type CreatePromptVersionMutationVariables,
  GetPromptAbTestingDocument,
  GetPromptDocument,
  GetPromptLineageDocument,
  GetPromptLineagesDocument,
  GetPromptRolloutDocument,
  GetPromptUseDocument,
  type GetPromptUseQuery,
  type PromptLineageFieldsFragment,
  UpdatePromptAbTestingDocument,
  type UpdatePromptAbTestingMutation,
  type UpdatePromptAbTestingMutationVariables,
} from '../../generated/operations.js'
import type {
  PromptVersionRollout,
  PromptVersionRolloutInput,
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
import { copyOf, versionById } from '../prompts/snapshot.js'
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
}

/** The outcome of the generations of a prompt version. */
export type PromptVersionUse = { version: number } & NonNullable<
  GetPromptUseQuery['promptLineage']
>['versions'][number]['use']

export const promptsApi = ({ call, copies, snapshot }: Transport) => {
  const rolloutOf = async (name: string): Promise<PromptRolloutCopy | null> => {
    const { promptRollout } = await call(GetPromptRolloutDocument, { name })
    // A prompt without a version is nothing that could be given out, or kept.
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
      // The contract: null when none can be made of these values.
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
    version?: number | null,
    choice?: PromptChoice | null,
  ): Promise<Prompt | null> => {
    const known = copyOf(snapshot, name)
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
  // Its variables are known by its name alone.
  const getPrompt = findPrompt as <Name extends PromptName>(
    name: Name,
    version?: number | null,
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

  const getPromptUse = async (name: string, since?: string | null): Promise<PromptVersionUse[]> =>
    ((await call(GetPromptUseDocument, { name, since })).promptLineage?.versions ?? []).map(
      ({ version, use }) => ({ version, ...use }),
    )

  return {
    /**
     * Sums up the generations of each version of a prompt, the newest version first: the newest 10,000 of each, only those
     * since a moment (ISO 8601) when one is given. Durations are seconds. Empty when no prompt has this name.
     */
    getPromptUse,
    /** Sums up the generations of a prompt's versions; `getPromptUse` in the other spelling. */
    get_prompt_use: async (params: {
      name: string
      since?: string | null
    }): Promise<Snake<PromptVersionUse>[]> =>
      (await getPromptUse(params.name, params.since)).map((use) => toSnake(use, 'PromptUse')),

    /** Creates a prompt's lineage, without a version; the existing one when the name is taken. Null when none can have this name or description. */
    createPromptLineage,
    /** Creates a prompt's lineage, or returns the existing one; `createPromptLineage` in the other spelling. */
    get_or_create_prompt_lineage: snakeLineage,
    /** Creates a prompt's lineage, or returns the existing one; `createPromptLineage` in the other spelling. */
    create_prompt_lineage: snakeLineage,

    /**
     * Gets the version of a prompt with these messages, settings and tools; creates it when there is none. So code can
     * carry its prompts, and get a new version only when they change.
     *
     * @example
     * const prompt = await stepwell.api.getOrCreatePrompt('support', [{ role: 'system', content: 'You work for {{shop}}.' }])
     */
    getOrCreatePrompt,
    /** Gets or creates the version of a prompt with these messages, settings and tools; `getOrCreatePrompt` in the other spelling. */
    get_or_create_prompt: snakePrompt,

    /**
     * Gets the version of a prompt with these messages and settings; creates it when there is none.
     *
     * @deprecated Use `getOrCreatePrompt`.
     */
    createPrompt: getOrCreatePrompt,
    /**
     * Gets the version of a prompt with these messages and settings; creates it when there is none.
     *
     * @deprecated Use `get_or_create_prompt`.
     */
    create_prompt: snakePrompt,

    /** Creates a prompt to try in experiments, outside the versions of any prompt. Resolves to its id. */
    createPromptVariant,
    /** Creates a prompt to try in experiments; `createPromptVariant` in the other spelling. */
    create_prompt_variant: (params: Snake<PromptVariantDefinition>): Promise<string> =>
      createVariant(camelKeys<PromptVariantDefinition>(params)),

    /** Gets a version of a prompt by its id; null when there is none. */
    getPromptById,
    /** Gets a version of a prompt by its id; `getPromptById` in the other spelling. */
    get_prompt_by_id: async (prompt: IdParam): Promise<SnakePrompt | null> =>
      toSnakePrompt(await getPromptById(idOf(prompt))),

    /**
     * Gets a prompt by name: the given version, or one drawn by the prompt's split (version 0 until somebody splits
     * the calls), for a `key` always the same one while the split stands. Null when there is none. While the service
     * can't be reached it returns its last copy of the prompt, or that of the snapshot, within a second; it throws where
     * there is neither.
     *
     * @example
     * const prompt = await stepwell.api.getPrompt('support', null, { key: participantId })
     * const messages = prompt?.format({ shop: 'Ada’s' })
     */
    getPrompt,
    /** Gets a prompt by id, or by name and version; the id wins. Null when there is none. `getPrompt` in the other spelling. */
    get_prompt: async <Name extends PromptName>(
      params: {
        id?: string | null | undefined
        name?: Name | null | undefined
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

    /** Lists all prompts of the project, by name, without their versions. */
    getPromptLineages,
    /** Lists all prompts of the project; `getPromptLineages` in the other spelling. */
    get_prompt_lineages: async (): Promise<Snake<PromptLineage>[]> =>
      (await getPromptLineages()).map((lineage) => toSnake(lineage, 'PromptLineage')),

    /** Gets the split of a prompt's calls between its versions; null when no prompt has this name. */
    getPromptAbTesting,
    /** Gets the split of a prompt's calls; `getPromptAbTesting` in the other spelling. */
    get_prompt_ab_testing: (params: string | { name: string }): Promise<PromptRollout[] | null> =>
      getPromptAbTesting(typeof params === 'string' ? params : params.name),

    /**
     * Splits the calls of a prompt between its versions, replacing the earlier split. Returns the raw answer: `ok` is
     * false, with a `message` and an `errorCode`, when the split can't be.
     *
     * @example
     * await stepwell.api.updatePromptAbTesting('support', [{ version: 0, rollout: 60 }, { version: 1, rollout: 40 }])
     */
    updatePromptAbTesting: (
      name: string,
      rollouts: readonly PromptRollout[],
    ): Promise<RawResult<UpdatePromptAbTestingMutation>> => split({ name, rollouts }),
    /** Splits the calls of a prompt; `updatePromptAbTesting` in the other spelling. */
    update_prompt_ab_testing: (params: Snake<PromptSplit>) => split(camelKeys<PromptSplit>(params)),

    /** Gets a prompt by a GraphQL query of your own whose answer has `promptVersion`; null when that is null. */
    getPromptWithQuery,
    /** Gets a prompt by a query of your own; `getPromptWithQuery` in the other spelling. */
    get_prompt_with_query: async (params: {
      query: string
      variables?: Record<string, unknown>
    }): Promise<SnakePrompt | null> =>
      toSnakePrompt(await getPromptWithQuery(params.query, params.variables)),
  }
}

/** The service's codes for values that can't be. */
const REFUSALS: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'TOO_LARGE'])

/** Names the place where a prompt's split and live versions are kept. */
const splitOf = (name: string): string => `split of ${name}`

/** The contract takes tools as an object in one form and as a list in the other; the wire has a list. */
const listOf = (tools: Tools): unknown[] | null | undefined =>
  tools === null || tools === undefined || Array.isArray(tools) ? tools : [tools]
