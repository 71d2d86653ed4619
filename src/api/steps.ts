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
import type {
  AttachmentPayloadInput,
  Step as SchemaStep,
  StepInput as SchemaStepInput,
} from '../../generated/schema.js'
import type { OrderBy, StepsFilter } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { withPrompt } from '../prompts/link.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Step as RecordedStep } from '../tracing/step.js'
import type { Transport } from '../transport/transport.js'
import { type ScoreValue, wireScore } from '../values/scores.js'
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
export type StepInput = Omit<SchemaStepInput, 'scores' | 'generation' | 'attachments' | 'tags'> & {
  /** Labels; they replace the stored ones. An empty list changes nothing. */
  tags?: readonly string[] | null | undefined
  /** Scores to add, or to update by id. An empty list changes nothing. */
  scores?: readonly NestedScore[] | null | undefined
  /** The model call that it stands for; a member that is omitted or null keeps its stored value. */
  generation?: SchemaStepInput['generation']
  /** Files to add, or to update by id. An empty list changes nothing. */
  attachments?: readonly AttachmentPayloadInput[] | null | undefined
}

type NestedScore = Omit<NonNullable<SchemaStepInput['scores']>[number], 'value'> & {
  /** A finite number, true or false, or a label of the score's definition. */
  value?: ScoreValue | null | undefined
}

export interface GetStepsParams extends PageParams {
  /** Conditions that must all hold. When omitted, all steps pass. */
  filters?: StepsFilter[] | undefined
  /** Conditions as text, such as `type=tool (error:any OR output~refund)`, which must hold beside `filters`. */
  query?: string | undefined
  /** The order of the list. Default: the newest first. */
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
    const result: Pick<
      IngestStepsMutation['ingestSteps'],
      'accepted' | 'refused' | 'refusedScores'
    > = { accepted: 0, refused: [], refusedScores: [] }
    if (!disabled)
      for (const { items, offset } of batches(steps.map(sendable))) {
        const { ingestSteps } = await call(IngestStepsDocument, { steps: items })
        result.accepted += ingestSteps.accepted
        result.refused.push(
          ...ingestSteps.refused.map((step) => ({ ...step, index: step.index + offset })),
        )
        result.refusedScores.push(
          ...ingestSteps.refusedScores.map((score) => ({
            ...score,
            stepIndex: score.stepIndex === null ? null : score.stepIndex + offset,
          })),
        )
      }
    const [first] = result.refused
    const [firstScore] = result.refusedScores
    const message =
      first !== undefined
        ? `${result.refused.length} of ${steps.length} steps were rejected; steps[${first.index}]: ${first.message}`
        : firstScore === undefined
          ? null
          : `${result.refusedScores.length} scores were rejected; steps[${firstScore.stepIndex}]: ${firstScore.message}`
    return { data: { ingestSteps: { ok: first === undefined, message, ...result } } }
  }

  return {
    /**
     * Sends steps, any number of them, in batches. A field that is omitted keeps its stored value. Resolves once all
     * steps are stored. A refused step leaves the others alone. The same step may be sent again, whole or in parts, in
     * any order. When the client is `disabled`, sends nothing.
     *
     * @returns the raw answer. `data.ingestSteps` has the count `accepted` and the list `refused`, with the reason for
     *   each step; an empty list sends nothing.
     * @throws `INVALID_ARGUMENT` when the list is no list, or an item no object. A step that the service refuses is not
     *   thrown.
     * @scope `ingest` or `write`
     * @example
     * const { data } = await stepwell.api.sendSteps([{ id: 'agent-1', type: 'run', startTime: from, endTime: to }])
     * for (const { id, message } of data.ingestSteps.refused) console.warn(id, message)
     */
    sendSteps,
    /**
     * Sends steps; `sendSteps` in the other spelling. Takes a step, a list of them, or either as `steps`.
     *
     * @returns the raw answer. `data.ingestSteps` has the count `accepted` and the list `refused`, with the reason for
     *   each step; an empty list sends nothing.
     * @throws `INVALID_ARGUMENT` when the list is no list, or an item no object. A step that the service refuses is not
     *   thrown.
     * @scope `ingest` or `write`
     * @example
     * const { data } = await stepwell.api.send_steps({ id: 'agent-1', type: 'run', start_time: from, end_time: to })
     * for (const { id, message } of data.ingestSteps.refused) console.warn(id, message)
     */
    send_steps: (
      params:
        | Snake<StepInput>
        | readonly Snake<StepInput>[]
        | {
            /** A step, or a list of them. */
            steps: Snake<StepInput> | readonly Snake<StepInput>[]
          },
    ): Promise<RawResult<IngestStepsMutation>> => {
      const given = 'steps' in params ? params.steps : params
      const steps = (Array.isArray(given) ? given : [given]) as Snake<StepInput>[]
      return sendSteps(steps.map((step) => toCamel<StepInput>(step, 'StepInput')))
    },

    /**
     * Lists steps, the newest first. `getSteps.all()` walks over all of them, `getSteps.pages()` page by page.
     *
     * @returns a page; an empty one when no step passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data, pageInfo } = await stepwell.api.getSteps({
     *   first: 20,
     *   filters: [{ field: 'tags', operator: 'in', value: ['prod'] }],
     * })
     * console.log(data.length, pageInfo.hasNextPage)
     */
    getSteps,
    /**
     * Lists steps; `getSteps` in the other spelling.
     *
     * @returns a page; an empty one when no step passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data, page_info } = await stepwell.api.get_steps({ first: 20 })
     * console.log(data.length, page_info.has_next_page)
     */
    get_steps: createSnakeList(getSteps, 'Step'),

    /**
     * Gets a step with its generation, scores and attachments.
     *
     * @returns the step; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const step = await stepwell.api.getStep(stepId)
     * console.log(step?.name, step?.scores.length)
     */
    getStep,
    /**
     * Gets a step; `getStep` in the other spelling.
     *
     * @returns the step; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const step = await stepwell.api.get_step(stepId)
     * console.log(step?.start_time)
     */
    get_step: async (step: IdParam): Promise<Snake<Step> | null> =>
      toSnake(await getStep(idOf(step)), 'Step'),

    /**
     * Deletes a step with its generation, scores and attachments. Its children stay.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteStep(stepId)
     * if (deleted === null) console.log('there was no such step')
     */
    deleteStep,
    /**
     * Deletes a step; `deleteStep` in the other spelling.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_step({ id: stepId })
     */
    delete_step: (step: IdParam): Promise<string | null> => deleteStep(idOf(step)),

    /**
     * Creates a step whose id the service chooses. `sendSteps` sends steps with ids of your own, many at once.
     *
     * @returns the raw answer, with the step in `data.createStep`.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * const { data } = await stepwell.api.createStep({ threadId, type: 'tool', name: 'search' })
     * console.log(data.createStep?.id)
     */
    createStep,
    /**
     * Creates a step; `createStep` in the other spelling.
     *
     * @returns the raw answer, with the step in `data.createStep`.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * const { data } = await stepwell.api.create_step({ thread_id: threadId, type: 'tool', name: 'search' })
     * console.log(data.createStep?.id)
     */
    create_step: (params: Snake<CreateStepParams> = {}) =>
      createStep(camelKeys<CreateStepParams>(params)),

    /**
     * Changes a step. A field that is omitted or null keeps its stored value. A text as input or output becomes
     * `{ content }`, unless it is the JSON of an object.
     *
     * @returns the raw answer, with the step in `data.updateStep`.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * const { data } = await stepwell.api.updateStep({ id: stepId, tags: ['reviewed'] })
     * console.log(data.updateStep?.tags)
     */
    updateStep,
    /**
     * Changes a step; `updateStep` in the other spelling.
     *
     * @returns the raw answer, with the step in `data.updateStep`.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_step({ id: stepId, end_time: to })
     */
    update_step: (params: Snake<UpdateStepParams>) =>
      updateStep(camelKeys<UpdateStepParams>(params)),
  }
}

/** Removes the members that only the service sets, so that a step that was read can be sent again. */
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
            const { createdAt, updatedAt, projectId, step, threadId, ...kept } =
              score as NestedScore & Record<string, unknown>
            return wireScore(kept)
          }),
        }
      : {}),
  } as SchemaStepInput
}

/** Links a step's generation to the prompt that its messages come from. */
const linked = <Given extends { generation?: SchemaStepInput['generation'] }>(
  step: Given,
): Given => (step.generation ? { ...step, generation: withPrompt(step.generation) } : step)
