import {
  AddGenerationsToDatasetDocument,
  type AddGenerationsToDatasetMutationVariables,
  AddGenerationToDatasetDocument,
  type AddGenerationToDatasetMutationVariables,
  AddStepToDatasetDocument,
  type AddStepToDatasetMutationVariables,
  AddThreadToDatasetDocument,
  type AddThreadToDatasetMutationVariables,
} from '../../../generated/operations.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import type { DatasetItem } from './items.js'

type Metadata = Record<string, unknown> | null | undefined

export interface AddStepParams extends AddStepToDatasetMutationVariables {
  metadata?: Metadata
}

export interface AddThreadParams extends AddThreadToDatasetMutationVariables {
  /** The step of the thread to stop at. Default: the last answer. */
  upToStepId?: string | null | undefined
  metadata?: Metadata
}

export interface AddGenerationParams extends AddGenerationToDatasetMutationVariables {
  metadata?: Metadata
}

export interface AddGenerationsParams
  extends Omit<AddGenerationsToDatasetMutationVariables, 'generationIds'> {
  generationIds: readonly string[]
}

/** Copies of recorded work, as items of datasets. */
export const datasetCopiesApi = ({ call }: Transport) => {
  const addStep = async (params: AddStepParams): Promise<DatasetItem> =>
    (await call(AddStepToDatasetDocument, params)).addStepToDataset as DatasetItem
  const addThread = async (params: AddThreadParams): Promise<DatasetItem> =>
    (await call(AddThreadToDatasetDocument, params)).addThreadToDataset as DatasetItem
  const addGeneration = async (params: AddGenerationParams): Promise<DatasetItem> => {
    return (await call(AddGenerationToDatasetDocument, params))
      .addGenerationToDataset as DatasetItem
  }
  const addGenerations = async (params: AddGenerationsParams): Promise<DatasetItem[]> => {
    const generationIds = [...params.generationIds]
    if (generationIds.length === 0) return []
    return (await call(AddGenerationsToDatasetDocument, { ...params, generationIds }))
      .addGenerationsToDataset.items
  }

  return {
    /**
     * Copies a step into a `key_value` dataset: its input, its output as the expected one, and the steps below it.
     *
     * @param metadata - An object; empty when omitted.
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when an id is empty, or when the dataset takes generations only.
     * @throws `NOT_FOUND` when there is no such dataset or step.
     * @throws `TOO_LARGE` when the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const item = await stepwell.api.addStepToDataset(datasetId, stepId, { source: 'review' })
     * console.log(item.expectedOutput)
     */
    addStepToDataset: (
      datasetId: string,
      stepId: string,
      metadata?: Metadata,
    ): Promise<DatasetItem> => addStep({ datasetId, stepId, metadata }),
    /**
     * Copies a step into a dataset; `addStepToDataset` in the other spelling.
     *
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when an id is empty, or when the dataset takes generations only.
     * @throws `NOT_FOUND` when there is no such dataset or step.
     * @throws `TOO_LARGE` when the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const item = await stepwell.api.add_step_to_dataset({ dataset_id: datasetId, step_id: stepId })
     * console.log(item.expected_output)
     */
    add_step_to_dataset: async (params: Snake<AddStepParams>): Promise<Snake<DatasetItem>> =>
      toSnake(await addStep(camelKeys<AddStepParams>(params)), 'DatasetItem'),

    /**
     * Copies a conversation into a dataset: the messages of a thread as `input.messages`, and the answer that follows
     * as the expected output. Calls of tools are kept.
     *
     * @param upToStepId - The step of the thread to stop at. An answer there is the expected output; a message of the
     * user is the last one, without an expected output. A call of a model has the messages that the model saw. When
     * omitted, the last answer is the expected output.
     * @param metadata - An object that is put over the derived metadata: `threadId`, and `group` with the same value.
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when an id is empty, when the thread has no messages, or when `upToStepId` is neither
     * a message nor a call of a model.
     * @throws `NOT_FOUND` when there is no such dataset or thread, or no such step in the thread.
     * @throws `TOO_LARGE` when the messages are larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * const item = await stepwell.api.addThreadToDataset(datasetId, threadId)
     * console.log(item.input, item.expectedOutput)
     */
    addThreadToDataset: (
      datasetId: string,
      threadId: string,
      upToStepId?: string | null,
      metadata?: Metadata,
    ): Promise<DatasetItem> => addThread({ datasetId, threadId, upToStepId, metadata }),
    /**
     * Copies a conversation into a dataset; `addThreadToDataset` in the other spelling.
     *
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when an id is empty, when the thread has no messages, or when `up_to_step_id` is
     * neither a message nor a call of a model.
     * @throws `NOT_FOUND` when there is no such dataset or thread, or no such step in the thread.
     * @throws `TOO_LARGE` when the messages are larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * const item = await stepwell.api.add_thread_to_dataset({ dataset_id: datasetId, thread_id: threadId })
     * console.log(item.expected_output)
     */
    add_thread_to_dataset: async (params: Snake<AddThreadParams>): Promise<Snake<DatasetItem>> =>
      toSnake(await addThread(camelKeys<AddThreadParams>(params)), 'DatasetItem'),

    /**
     * Copies a generation into a dataset: its messages or prompt as input, its completion as the expected output.
     *
     * @param metadata - An object that is put over the derived metadata.
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when an id is empty.
     * @throws `NOT_FOUND` when there is no such dataset or generation.
     * @throws `TOO_LARGE` when the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const item = await stepwell.api.addGenerationToDataset(datasetId, generationId)
     * console.log(item.expectedOutput)
     */
    addGenerationToDataset: (
      datasetId: string,
      generationId: string,
      metadata?: Metadata,
    ): Promise<DatasetItem> => addGeneration({ datasetId, generationId, metadata }),
    /**
     * Copies a generation into a dataset; `addGenerationToDataset` in the other spelling.
     *
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when an id is empty.
     * @throws `NOT_FOUND` when there is no such dataset or generation.
     * @throws `TOO_LARGE` when the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const item = await stepwell.api.add_generation_to_dataset({ dataset_id: datasetId, generation_id: generationId })
     * console.log(item.expected_output)
     */
    add_generation_to_dataset: async (
      params: Snake<AddGenerationParams>,
    ): Promise<Snake<DatasetItem>> =>
      toSnake(await addGeneration(camelKeys<AddGenerationParams>(params)), 'DatasetItem'),

    /**
     * Copies generations into a dataset in one request: all of them, or none when one is missing.
     *
     * @returns the items in the order of the ids; an empty list sends nothing.
     * @throws `INVALID_ARGUMENT` when an id is empty or no string.
     * @throws `NOT_FOUND` when there is no such dataset or generation.
     * @scope `write`
     * @example
     * const items = await stepwell.api.addGenerationsToDataset(datasetId, [generationId])
     * console.log(items.length)
     */
    addGenerationsToDataset: (
      datasetId: string,
      generationIds: readonly string[],
    ): Promise<DatasetItem[]> => addGenerations({ datasetId, generationIds }),
    /**
     * Copies generations into a dataset; `addGenerationsToDataset` in the other spelling.
     *
     * @returns the items in the order of the ids; an empty list sends nothing.
     * @throws `INVALID_ARGUMENT` when an id is empty or no string.
     * @throws `NOT_FOUND` when there is no such dataset or generation.
     * @scope `write`
     * @example
     * const items = await stepwell.api.add_generations_to_dataset({ dataset_id: datasetId, generation_ids: [generationId] })
     * console.log(items.length)
     */
    add_generations_to_dataset: async (
      params: Snake<AddGenerationsParams>,
    ): Promise<Snake<DatasetItem>[]> =>
      toSnake(await addGenerations(camelKeys<AddGenerationsParams>(params)), 'DatasetItem'),
  }
}
