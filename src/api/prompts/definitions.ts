import {
  CreatePromptLineageDocument,
  type CreatePromptLineageMutationVariables,
  CreatePromptVariantDocument,
  type CreatePromptVariantMutationVariables,
  CreatePromptVersionDocument,
  type CreatePromptVersionMutationVariables,
  GetPromptLineageDocument,
} from '../../../generated/operations.js'
import { invalidArgument, StepwellError } from '../../errors.js'
import type { PromptVersionFields } from '../../prompts/fields.js'
import {
  type Prompt,
  promptFieldsOf,
  type SnakePrompt,
  toSnakePrompt,
  withMethods,
} from '../../prompts/prompt.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import type { GenerationMessage } from '../generations.js'
import type { PromptLineage } from './prompts.js'

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

export const promptDefinitionsApi = ({ call }: Transport) => {
  const createLineage = async (
    lineage: CreatePromptLineageMutationVariables,
  ): Promise<PromptLineage | null> => {
    try {
      return (await call(CreatePromptLineageDocument, lineage)).createPromptLineage
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
  const createVersion = async ({ name, tools, ...rest }: PromptDefinition): Promise<Prompt> => {
    const lineage = await createLineage({ name })
    if (lineage === null)
      throw invalidArgument(`name: no prompt can be called ${JSON.stringify(name)}`)
    const version = { ...rest, tools: listOf(tools), lineageId: lineage.id }
    const { createPromptVersion } = await call(CreatePromptVersionDocument, version)
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
    const { createPromptExperiment } = await call(CreatePromptVariantDocument, variant)
    return (createPromptExperiment as { id: string }).id
  }
  const createPromptVariant = (
    name: string,
    templateMessages: GenerationMessage[],
    settings?: Settings,
    tools?: Tools,
  ): Promise<string> => createVariant({ name, templateMessages, settings, tools })

  const snakeLineage = async (
    params: Snake<CreatePromptLineageMutationVariables>,
  ): Promise<Snake<PromptLineage> | null> =>
    toSnake(
      await createLineage(camelKeys<CreatePromptLineageMutationVariables>(params)),
      'PromptLineage',
    )
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
  }
}

/** The service's codes for invalid values. */
const REFUSALS: ReadonlySet<string> = new Set(['INVALID_ARGUMENT', 'TOO_LARGE'])

/** The contract has tools as an object in one form and as a list in the other; the wire has a list. */
const listOf = (tools: Tools): unknown[] | null | undefined =>
  tools === null || tools === undefined || Array.isArray(tools) ? tools : [tools]
