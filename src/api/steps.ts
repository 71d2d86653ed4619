import type { StepsColumn } from '../../generated/filters.js'
import {
  CreateStepDocument,
  type CreateStepMutation,
  type CreateStepMutationVariables,
  DeleteStepDocument,
  GetStepDocument,
  GetStepsDocument,
  IngestStepsDocument,
  type IngestStepsMutation,
  type StepFieldsFragment,
  UpdateStepDocument,
  type UpdateStepMutation,
  type UpdateStepMutationVariables,
} from '../../generated/operations.js'
import type { Step as SchemaStep, StepInput as SchemaStepInput } from '../../generated/schema.js'
import type { OrderBy, StepsFilter } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { withPrompt } from '../prompts/link.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Step as RecordedStep } from '../tracing/step.js'
import type { Transport } from '../transport/transport.js'
import type { Attachment } from './attachments.js'
import { batches } from './calls/batches.js'
import { type IdParam, idOf, type RawResult } from './calls/raw.js'
import type { Generation } from './generations.js'
import type { Score } from './scores.js'

/** A step as the service returns it. */
export type Step = Omit<
  Pick<SchemaStep, keyof StepFieldsFragment>,
  'scores' | 'generation' | 'attachments'
> & {
  scores: Score[]
  generation: Generation | null
  attachments: Attachment[]
}

/** A step to send, in full or in part; a step that was read can be sent again as it is. */
export type StepInput = Omit<SchemaStepInput, 'scores' | 'generation' | 'attachments'> & {
  scores?: NestedScore[] | null | undefined
  generation?: SchemaStepInput['generation']
  attachments?: NonNullable<SchemaStepInput['attachments']>
}

type NestedScore = NonNullable<SchemaStepInput['scores']>[number]

export interface GetStepsParams extends PageParams {
  filters?: StepsFilter[] | undefined
  orderBy?: OrderBy<StepsColumn> | undefined
}

export type CreateStepParams = CreateStepMutationVariables
export type UpdateStepParams = UpdateStepMutationVariables

export const stepsApi = ({ call, disabled }: Transport) => {
  const getSteps = createList(async (params: GetStepsParams) =>
    toPage<Step>((await call(GetStepsDocument, params)).steps),
  )
  const getStep = async (id: string): Promise<Step | null> =>
    (await call(GetStepDocument, { id })).step
  const deleteStep = async (id: string): Promise<string | null> =>
    (await call(DeleteStepDocument, { id })).deleteStep?.id ?? null
  const createStep = async (
    params: CreateStepParams = {},
  ): Promise<RawResult<CreateStepMutation>> => ({
    data: await call(CreateStepDocument, params),
  })
  const updateStep = async (params: UpdateStepParams): Promise<RawResult<UpdateStepMutation>> => ({
    data: await call(UpdateStepDocument, params),
  })

  const sendSteps = async (
    steps: readonly (StepInput | RecordedStep)[],
  ): Promise<RawResult<IngestStepsMutation>> => {
    const result: Pick<IngestStepsMutation['ingestSteps'], 'accepted' | 'refused'> = {
      accepted: 0,
      refused: [],
    }
    if (!disabled)
      for (const { items, offset } of batches(steps.map(sendable))) {
        const { ingestSteps } = await call(IngestStepsDocument, { steps: items })
        result.accepted += ingestSteps.accepted
        result.refused.push(
          ...ingestSteps.refused.map((step) => ({ ...step, index: step.index + offset })),
        )
      }
    const [first] = result.refused
    const message =
      first === undefined
        ? null
        : `${result.refused.length} of ${steps.length} steps were refused; steps[${first.index}]: ${first.message}`
    return { data: { ingestSteps: { ok: first === undefined, message, ...result } } }
  }

  return {
    /**
     * Sends steps, any number of them: they go in batches, and what is absent from a step keeps its stored value.
     * Resolves once all of them are stored; a step that the service refuses is in `data.ingestSteps.refused` with the
     * reason and leaves the others alone. The same step may be sent again, whole or in parts, in any order.
     *
     * @example
     * const { data } = await stepwell.api.sendSteps([{ id: 'a', type: 'run', name: 'agent', startTime, endTime }])
     * for (const { id, message } of data.ingestSteps.refused) console.warn(id, message)
     */
    sendSteps,
    /** Sends steps; `sendSteps` in the other spelling. Takes a step, a list of them, or either as `steps`. */
    send_steps: (
      params:
        | Snake<StepInput>
        | readonly Snake<StepInput>[]
        | { steps: Snake<StepInput> | readonly Snake<StepInput>[] },
    ): Promise<RawResult<IngestStepsMutation>> => {
      const given = 'steps' in params ? params.steps : params
      const steps = (Array.isArray(given) ? given : [given]) as Snake<StepInput>[]
      return sendSteps(steps.map((step) => toCamel<StepInput>(step, 'StepInput')))
    },

    /**
     * Lists steps, the newest first.
     *
     * @example
     * const { data, pageInfo } = await stepwell.api.getSteps({
     *   first: 20,
     *   filters: [{ field: 'tags', operator: 'in', value: ['prod'] }],
     * })
     */
    getSteps,
    /** Lists steps; `getSteps` in the other spelling. */
    get_steps: createSnakeList(getSteps, 'Step'),

    /** Gets a step with its generation, scores and attachments; null when nothing has this id. */
    getStep,
    /** Gets a step; `getStep` in the other spelling. */
    get_step: async (step: IdParam): Promise<Snake<Step> | null> =>
      toSnake(await getStep(idOf(step)), 'Step'),

    /** Deletes a step with its generation, scores and attachments; its children stay. Resolves to its id, or to null. */
    deleteStep,
    /** Deletes a step; `deleteStep` in the other spelling. */
    delete_step: (step: IdParam): Promise<string | null> => deleteStep(idOf(step)),

    /** Creates a step whose id the service chooses. Gives the raw answer. */
    createStep,
    /** Creates a step; `createStep` in the other spelling. */
    create_step: (params: Snake<CreateStepParams> = {}) =>
      createStep(camelKeys<CreateStepParams>(params)),

    /**
     * Changes a step; absent and null leave alone, a text as input or output becomes `{content}`. Throws `NOT_FOUND`
     * when nothing has this id. Gives the raw answer.
     */
    updateStep,
    /** Changes a step; `updateStep` in the other spelling. */
    update_step: (params: Snake<UpdateStepParams>) =>
      updateStep(camelKeys<UpdateStepParams>(params)),
  }
}

/** A step without what only the service says, so that a step that was read can be sent as it is. */
const sendable = (given: StepInput | RecordedStep): SchemaStepInput => {
  const step =
    'serialize' in given && typeof given.serialize === 'function' ? given.serialize() : given
  const { createdAt, thread, ...sent } = linked(step as StepInput & Partial<SchemaStep>)
  const { scores } = sent
  return {
    ...sent,
    ...(Array.isArray(scores)
      ? {
          scores: scores.map((score) => {
            const { createdAt, updatedAt, projectId, step, ...kept } = score as NestedScore &
              Record<string, unknown>
            return kept as NestedScore
          }),
        }
      : {}),
  } as SchemaStepInput
}

/** A step whose generation knows the prompt that its messages come from. */
const linked = <Given extends { generation?: SchemaStepInput['generation'] }>(
  step: Given,
): Given => (step.generation ? { ...step, generation: withPrompt(step.generation) } : step)
