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
  role: 'system' | 'assistant' | 'user' | 'function' | 'tool' | (string & {})
  content?: unknown
  [key: string]: unknown
}

/** What generations of both kinds have. */
type CommonGeneration = Omit<
  GenerationPayloadInput,
  'type' | 'prompt' | 'completion' | 'messages' | 'messageCompletion'
>

/** A model call with messages in and a message out. */
export type ChatGeneration = CommonGeneration & {
  type?: 'CHAT' | null | undefined
  messages?: GenerationMessage[] | null | undefined
  messageCompletion?: GenerationMessage | null | undefined
}

/** A model call with a text in and a text out. */
export type CompletionGeneration = CommonGeneration & {
  type?: 'COMPLETION' | null | undefined
  prompt?: string | null | undefined
  completion?: string | null | undefined
}

export type GenerationInput = ChatGeneration | CompletionGeneration

export interface GetGenerationsParams extends PageParams {
  filters?: GenerationsFilter[] | undefined
  orderBy?: OrderBy<GenerationsColumn> | undefined
}

export const generationsApi = ({ call }: Transport) => {
  const getGenerations = createList(async (params: GetGenerationsParams) =>
    toPage<Generation>((await call(GetGenerationsDocument, params)).generations),
  )
  const create = (generation: GenerationInput): Promise<CreateGenerationMutation> =>
    call(CreateGenerationDocument, { generation: withPrompt(generation) })

  return {
    /** Lists generations, the newest first, whatever the type of their step. */
    getGenerations,
    /** Lists generations; `getGenerations` in the other spelling. */
    get_generations: createSnakeList(getGenerations, 'Generation'),

    /**
     * Records a model call by itself, as a step of type `llm` outside any thread. Its id is that step's.
     * Resolves to the generation, where `create_generation` resolves to the raw answer.
     *
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
     */
    create_generation: async (
      params: Snake<GenerationInput> | { generation: Snake<GenerationInput> },
    ): Promise<RawResult<CreateGenerationMutation>> => {
      const generation = 'generation' in params ? params.generation : params
      return { data: await create(toCamel<GenerationInput>(generation, 'GenerationPayloadInput')) }
    },
  }
}
