import type { GenerationsColumn } from '../../generated/filters.js'
import {
  CreateGenerationDocument,
  type CreateGenerationMutation,
  type GenerationFieldsFragment,
  GetGenerationsDocument,
} from '../../generated/operations.js'
import type {
  GenerationPayloadInput,
  Generation as SchemaGeneration,
} from '../../generated/schema.js'
import type { GenerationsFilter, OrderBy } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { withPrompt } from '../prompts/link.js'
import { type Snake, toCamel } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import type { RawResult } from './calls/raw.js'

/** A generation as the service returns it. */
export type Generation = Pick<SchemaGeneration, keyof GenerationFieldsFragment>

/** A message of a chat, with whatever else the model's provider puts into it. */
export interface GenerationMessage {
  /** The author of the message. */
  role: 'system' | 'assistant' | 'user' | 'function' | 'tool' | (string & {})
  /** The text, or the parts that the provider takes. */
  content?: unknown
  [key: string]: unknown
}

/** The common members of both kinds of generations. */
type CommonGeneration = Omit<
  GenerationPayloadInput,
  'type' | 'prompt' | 'completion' | 'messages' | 'messageCompletion'
>

/** A model call with messages in and a message out. */
export type ChatGeneration = CommonGeneration & {
  /** `CHAT`, or omitted. */
  type?: 'CHAT' | null | undefined
  /** The messages that went in, up to 16 MB. */
  messages?: GenerationMessage[] | null | undefined
  /** The message that came out. */
  messageCompletion?: GenerationMessage | null | undefined
}

/** A model call with a text in and a text out. */
export type CompletionGeneration = CommonGeneration & {
  /** `COMPLETION`, or omitted when there is a `prompt` or `completion`. */
  type?: 'COMPLETION' | null | undefined
  /** The text that went in. */
  prompt?: string | null | undefined
  /** The text that came out. */
  completion?: string | null | undefined
}

export type GenerationInput = ChatGeneration | CompletionGeneration

export interface GetGenerationsParams extends PageParams {
  /** Conditions that must all hold. When omitted, all generations pass. */
  filters?: GenerationsFilter[] | undefined
  /** Conditions as text, such as `model~gpt (error:any OR duration>30)`, which must hold beside `filters`. */
  query?: string | undefined
  /** The order of the list. Default: the newest first. */
  orderBy?: OrderBy<GenerationsColumn> | undefined
}

export const generationsApi = ({ call }: Transport) => {
  const getGenerations = createList(async (params: GetGenerationsParams) =>
    toPage<Generation>((await call(GetGenerationsDocument, params)).generations),
  )
  const create = (generation: GenerationInput): Promise<CreateGenerationMutation> =>
    call(CreateGenerationDocument, { generation: withPrompt(generation) })

  return {
    /**
     * Lists generations, the newest first, whatever the type of their step. `getGenerations.all()` walks over all of
     * them.
     *
     * @returns a page; an empty one when no generation passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.getGenerations({ filters: [{ field: 'model', operator: 'eq', value: 'gpt-4o' }] })
     * console.log(data.map(({ tokenCount }) => tokenCount))
     */
    getGenerations,
    /**
     * Lists generations; `getGenerations` in the other spelling.
     *
     * @returns a page; an empty one when no generation passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_generations({ first: 20 })
     * console.log(data.map(({ token_count }) => token_count))
     */
    get_generations: createSnakeList(getGenerations, 'Generation'),

    /**
     * Records a model call by itself, as a step of type `llm` outside any thread. The id of the generation is that of
     * the step. Resolves to the generation, where `create_generation` resolves to the raw answer.
     *
     * @returns the generation.
     * @throws `INVALID_ARGUMENT` when the generation is no object.
     * @throws `TOO_LARGE` when the messages are larger than 16 MB, or another value larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * await stepwell.api.createGeneration({
     *   provider: 'openai',
     *   model: 'gpt-4o',
     *   messages: [{ role: 'user', content: 'Where is my order?' }],
     *   messageCompletion: { role: 'assistant', content: 'On its way.' },
     * })
     */
    createGeneration: async (generation: GenerationInput): Promise<Generation> =>
      (await create(generation)).createGeneration as Generation,
    /**
     * Records a model call; `createGeneration` in the other spelling. Resolves to the raw answer, `{ data }`, with the
     * generation in `data.createGeneration`. Takes the generation bare or as `generation`.
     *
     * @returns the raw answer, with the generation in `data.createGeneration`.
     * @throws `INVALID_ARGUMENT` when the generation is no object.
     * @throws `TOO_LARGE` when the messages are larger than 16 MB, or another value larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * const { data } = await stepwell.api.create_generation({
     *   model: 'gpt-4o',
     *   messages: [{ role: 'user', content: 'Where is my order?' }],
     *   message_completion: { role: 'assistant', content: 'On its way.' },
     * })
     * console.log(data.createGeneration?.id)
     */
    create_generation: async (
      params:
        | Snake<GenerationInput>
        | {
            /** The generation. */
            generation: Snake<GenerationInput>
          },
    ): Promise<RawResult<CreateGenerationMutation>> => {
      const generation = 'generation' in params ? params.generation : params
      return { data: await create(toCamel<GenerationInput>(generation, 'GenerationPayloadInput')) }
    },
  }
}
