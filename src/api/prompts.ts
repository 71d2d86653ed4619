import {
  CreatePromptLineageDocument,
  CreatePromptVariantDocument,
  CreatePromptVersionDocument,
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
} from '../../generated/operations.js'
import type {
  PromptVersionRollout,
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
import type { GenerationMessage } from './generations.js'
import { type IdParam, idOf, type RawResult } from './raw.js'

/** A prompt's lineage as the service returns it. */
export type PromptLineage = Pick<SchemaPromptLineage, keyof PromptLineageFieldsFragment>

/** The weight of a version; its probability is its part of the sum of all weights. */
export type PromptRollout = Pick<PromptVersionRollout, 'version' | 'rollout'>

type Settings = Record<string, unknown> | null | undefined
type Tools = unknown[] | Record<string, unknown> | null | undefined

export interface PromptDefinition {
  name: string
  /** Messages with Mustache tags. */
  templateMessages: GenerationMessage[]
  /** Model, temperature and other settings, and the `provider`. */
  settings?: Settings
  tools?: Tools
}

/** How a version of a prompt is chosen. */
export interface PromptChoice {
  /**
   * What stays with its version while the split stands, such as the id of a participant or thread. Without it each call
   * draws anew.
   */
  key?: string | null | undefined
}

/** What came of the generations of a prompt version. */
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
  const createPromptLineage = async (
    name: string,
    description?: string | null,
  ): Promise<PromptLineage | null> => {
    try {
      return (await call(CreatePromptLineageDocument, { name, description })).createPromptLineage
    } catch (error) {
      // The contract: null when none could be made of what was given.
      if (StepwellError.is(error) && REFUSALS.has(error.code)) return null
      throw error
    }
  }
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
  // What its variables are is known by its name alone.
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

  const getOrCreatePrompt = async (
    name: string,
    templateMessages: GenerationMessage[],
    settings?: Settings,
    tools?: Tools,
  ): Promise<Prompt> => {
    const lineage = await createPromptLineage(name)
    if (lineage === null)
      throw invalidArgument(`name: no prompt can be called ${JSON.stringify(name)}`)
    const variables = { lineageId: lineage.id, templateMessages, settings, tools: listOf(tools) }
    const { createPromptVersion } = await call(CreatePromptVersionDocument, variables)
    return withMethods(promptFieldsOf(createPromptVersion as PromptVersionFields))
  }

  const createPromptVariant = async (
    name: string,
    templateMessages: GenerationMessage[],
    settings?: Settings,
    tools?: Tools,
  ): Promise<string> => {
    const { promptLineage } = await call(GetPromptLineageDocument, { name })
    const { createPromptExperiment } = await call(CreatePromptVariantDocument, {
      fromLineageId: promptLineage?.id,
      templateMessages,
      settings,
      tools: listOf(tools),
    })
    return (createPromptExperiment as { id: string }).id
  }

  const getPromptAbTesting = async (name: string): Promise<PromptRollout[] | null> => {
    const { edges } = (await call(GetPromptAbTestingDocument, { name })).promptLineageRollout
    return edges.length === 0 ? null : edges.map(({ node }) => node)
  }
  const updatePromptAbTesting = async (
    name: string,
    rollouts: readonly PromptRollout[],
  ): Promise<RawResult<UpdatePromptAbTestingMutation>> => {
    const variables = {
      name,
      rollouts: rollouts.map(({ version, rollout }) => ({ version, rollout })),
    }
    const data = await call(UpdatePromptAbTestingDocument, variables)
    copies.forget(splitOf(name))
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

  const snakeLineage = async (params: {
    name: string
    description?: string | null | undefined
  }): Promise<Snake<PromptLineage> | null> =>
    toSnake(await createPromptLineage(params.name, params.description), 'PromptLineage')
  const getPromptLineages = async (): Promise<PromptLineage[]> =>
    (await call(GetPromptLineagesDocument, {})).promptLineages.edges.map(({ node }) => node)
  const snakePrompt = async (params: Snake<PromptDefinition>): Promise<SnakePrompt> => {
    const { name, templateMessages, settings, tools } = camelKeys<PromptDefinition>(params)
    const prompt = await getOrCreatePrompt(name, templateMessages, settings, tools)
    return toSnakePrompt(prompt) as SnakePrompt
  }

  const getPromptUse = async (name: string, since?: string | null): Promise<PromptVersionUse[]> =>
    ((await call(GetPromptUseDocument, { name, since })).promptLineage?.versions ?? []).map(
      ({ version, use }) => ({ version, ...use }),
    )

  return {
    /**
     * What came of the generations of each version of a prompt, the newest version first: of the newest 10,000 of each,
     * only those since a moment (ISO 8601) when one is given. Durations are seconds. Empty when no prompt has this name.
     */
    getPromptUse,
    /** What came of the versions of a prompt; `getPromptUse` in the other spelling. */
    get_prompt_use: async (params: {
      name: string
      since?: string | null
    }): Promise<Snake<PromptVersionUse>[]> =>
      (await getPromptUse(params.name, params.since)).map((use) => toSnake(use, 'PromptUse')),

    /** Creates a prompt's lineage, without a version; the existing one when the name is taken. Null when none can have this name or description. */
    createPromptLineage,
    /** Creates a prompt's lineage, or gives the existing one; `createPromptLineage` in the other spelling. */
    get_or_create_prompt_lineage: snakeLineage,
    /** Creates a prompt's lineage, or gives the existing one; `createPromptLineage` in the other spelling. */
    create_prompt_lineage: snakeLineage,

    /**
     * The version of a prompt with these messages, settings and tools; it is created when there is none. Code can so
     * carry its prompts, and get a new version only when they change.
     *
     * @example
     * const prompt = await stepwell.api.getOrCreatePrompt('support', [{ role: 'system', content: 'You work for {{shop}}.' }])
     */
    getOrCreatePrompt,
    /** The version of a prompt with these messages, settings and tools; `getOrCreatePrompt` in the other spelling. */
    get_or_create_prompt: snakePrompt,

    /**
     * The version of a prompt with these messages and settings; created when there is none.
     *
     * @deprecated Use `getOrCreatePrompt`.
     */
    createPrompt: getOrCreatePrompt,
    /**
     * The version of a prompt with these messages and settings; created when there is none.
     *
     * @deprecated Use `get_or_create_prompt`.
     */
    create_prompt: snakePrompt,

    /** Creates a prompt to try in experiments, outside the versions of any prompt. Resolves to its id. */
    createPromptVariant,
    /** Creates a prompt to try in experiments; `createPromptVariant` in the other spelling. */
    create_prompt_variant: (params: Snake<PromptDefinition>): Promise<string> => {
      const { name, templateMessages, settings, tools } = camelKeys<PromptDefinition>(params)
      return createPromptVariant(name, templateMessages, settings, tools)
    },

    /** Gets a version of a prompt by its id; null when there is none. */
    getPromptById,
    /** Gets a version of a prompt by its id; `getPromptById` in the other spelling. */
    get_prompt_by_id: async (prompt: IdParam): Promise<SnakePrompt | null> =>
      toSnakePrompt(await getPromptById(idOf(prompt))),

    /**
     * Gets a prompt by name: the given version, or one drawn by the prompt's split (version 0 until somebody splits
     * the calls), for a `key` always the same one while the split stands. Null when there is none. While the service
     * can't be reached it gives the last copy that it had of the prompt, or that of the snapshot, within a second; it
     * throws where there is neither.
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

    /** All prompts of the project, by name, without their versions. */
    getPromptLineages,
    /** All prompts of the project; `getPromptLineages` in the other spelling. */
    get_prompt_lineages: async (): Promise<Snake<PromptLineage>[]> =>
      (await getPromptLineages()).map((lineage) => toSnake(lineage, 'PromptLineage')),

    /** How the calls of a prompt are split between its versions; null when no prompt has this name. */
    getPromptAbTesting,
    /** How the calls of a prompt are split; `getPromptAbTesting` in the other spelling. */
    get_prompt_ab_testing: (params: string | { name: string }): Promise<PromptRollout[] | null> =>
      getPromptAbTesting(typeof params === 'string' ? params : params.name),

    /**
     * Splits the calls of a prompt between its versions, replacing the earlier split. Gives the raw answer: `ok` is
     * false, with a `message` and an `errorCode`, when the split can't be.
     *
     * @example
     * await stepwell.api.updatePromptAbTesting('support', [{ version: 0, rollout: 60 }, { version: 1, rollout: 40 }])
     */
    updatePromptAbTesting,
    /** Splits the calls of a prompt; `updatePromptAbTesting` in the other spelling. */
    update_prompt_ab_testing: (params: { name: string; rollouts: readonly PromptRollout[] }) =>
      updatePromptAbTesting(params.name, params.rollouts),

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

/** What the service says of values that can't be. */
const REFUSALS: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'TOO_LARGE'])

/** Under which a prompt's split and live versions are kept. */
const splitOf = (name: string): string => `split of ${name}`

/** The contract takes tools as an object in one form and as a list in the other; the wire has a list. */
const listOf = (tools: Tools): unknown[] | null | undefined =>
  tools === null || tools === undefined || Array.isArray(tools) ? tools : [tools]
