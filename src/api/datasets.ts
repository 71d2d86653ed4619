import {
  AddGenerationsToDatasetDocument,
  type AddGenerationsToDatasetMutationVariables,
  AddGenerationToDatasetDocument,
  type AddGenerationToDatasetMutationVariables,
  AddStepToDatasetDocument,
  type AddStepToDatasetMutationVariables,
  AddThreadToDatasetDocument,
  type AddThreadToDatasetMutationVariables,
  CreateDatasetDocument,
  CreateDatasetItemDocument,
  type CreateDatasetItemMutationVariables,
  type CreateDatasetMutationVariables,
  type DatasetFieldsFragment,
  type DatasetItemFieldsFragment,
  DeleteDatasetDocument,
  DeleteDatasetItemDocument,
  GetDatasetItemDocument,
  GetDatasetItemsDocument,
  GetDatasetsDocument,
  UpdateDatasetDocument,
  UpdateDatasetItemDocument,
  type UpdateDatasetItemMutationVariables,
  type UpdateDatasetMutationVariables,
} from '../../generated/operations.js'
import type {
  DatasetType,
  Dataset as SchemaDataset,
  DatasetItem as SchemaDatasetItem,
} from '../../generated/schema.js'
import { invalidArgument, StepwellError } from '../errors.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { variablesFor } from '../transport/variables.js'
import { nullWhenMissing } from './calls/deleted.js'
import { type IdParam, idOf } from './calls/raw.js'

/** A dataset as the service returns it, without its items. */
export type Dataset = Pick<SchemaDataset, keyof DatasetFieldsFragment>
export type DatasetItem = Pick<SchemaDatasetItem, keyof DatasetItemFieldsFragment>
/** A dataset with all its items, the oldest first. */
export type DatasetWithItems = Dataset & { items: DatasetItem[] }

type Metadata = Record<string, unknown> | null | undefined

export interface CreateDatasetParams extends CreateDatasetMutationVariables {
  /** Unique in the project. */
  name: string
  description?: string | null | undefined
  metadata?: Metadata
  /** The content of its items. Default: `key_value`. */
  type?: DatasetType | null | undefined
}

export interface DatasetUpdate extends Omit<UpdateDatasetMutationVariables, 'id'> {
  name?: string | undefined
  description?: string | null | undefined
  metadata?: Metadata
}

export interface DatasetItemInput extends Omit<CreateDatasetItemMutationVariables, 'datasetId'> {
  input: Record<string, unknown>
  expectedOutput?: Record<string, unknown> | null | undefined
  metadata?: Metadata
}

export interface GetDatasetItemsParams
  extends Pick<PageParams, 'first' | 'last' | 'after' | 'before'> {
  /** The dataset, by its id. */
  datasetId: string
}

export type DatasetItemUpdate = Omit<UpdateDatasetItemMutationVariables, 'id'> &
  Partial<DatasetItemInput>

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

/** One of them selects the dataset; the id wins. */
export interface DatasetSelector {
  /** The dataset's id. */
  id?: string | undefined
  /** The dataset's name. */
  name?: string | undefined
}

const PAGE_SIZE = 100

export const datasetsApi = ({ call, post }: Transport) => {
  const getDatasets = async (): Promise<{ id: string; name: string }[]> => {
    const found: { id: string; name: string }[] = []
    let after: string | null | undefined
    for (let more = true; more; ) {
      const { edges, pageInfo } = (await call(GetDatasetsDocument, { first: PAGE_SIZE, after }))
        .datasets
      found.push(...edges.map(({ node }) => ({ id: node.id, name: node.name ?? '' })))
      after = pageInfo.endCursor
      more = pageInfo.hasNextPage && after !== null
    }
    return found
  }
  const createDataset = async (params: CreateDatasetParams): Promise<Dataset> =>
    (await call(CreateDatasetDocument, variablesFor(CreateDatasetDocument, params)))
      .createDataset as Dataset
  const getDataset = async ({
    id,
    name,
  }: DatasetSelector = {}): Promise<DatasetWithItems | null> => {
    if (!id && !name) throw invalidArgument('id, name: expected one of them, got neither')
    const answer = await post('/api/export/dataset', id ? { id } : { name })
    if (typeof answer !== 'object' || answer === null || !('data' in answer))
      throw new StepwellError('expected `data` in the exported dataset', { code: 'NETWORK' })
    return answer.data as DatasetWithItems | null
  }
  const updateDataset = async (id: string, update: DatasetUpdate): Promise<Dataset> =>
    (await call(UpdateDatasetDocument, variablesFor(UpdateDatasetDocument, { ...update, id })))
      .updateDataset as Dataset
  const deleteDataset = (id: string): Promise<Dataset | null> =>
    call(DeleteDatasetDocument, { id }).then(({ deleteDataset: one }) => one, nullWhenMissing)
  const createDatasetItem = async (
    datasetId: string,
    item: DatasetItemInput,
  ): Promise<DatasetItem> => {
    const variables = variablesFor(CreateDatasetItemDocument, { ...item, datasetId })
    return (await call(CreateDatasetItemDocument, variables)).createDatasetItem as DatasetItem
  }
  const getDatasetItem = async (id: string): Promise<DatasetItem | null> =>
    (await call(GetDatasetItemDocument, { id })).datasetItem
  const deleteDatasetItem = (id: string): Promise<DatasetItem | null> =>
    call(DeleteDatasetItemDocument, { id }).then(
      ({ deleteDatasetItem: one }) => one,
      nullWhenMissing,
    )
  const addStep = async (params: AddStepParams): Promise<DatasetItem> =>
    (await call(AddStepToDatasetDocument, variablesFor(AddStepToDatasetDocument, params)))
      .addStepToDataset as DatasetItem
  const addThread = async (params: AddThreadParams): Promise<DatasetItem> =>
    (await call(AddThreadToDatasetDocument, variablesFor(AddThreadToDatasetDocument, params)))
      .addThreadToDataset as DatasetItem
  const addGeneration = async (params: AddGenerationParams): Promise<DatasetItem> => {
    const variables = variablesFor(AddGenerationToDatasetDocument, params)
    return (await call(AddGenerationToDatasetDocument, variables))
      .addGenerationToDataset as DatasetItem
  }
  const addGenerations = async (params: AddGenerationsParams): Promise<DatasetItem[]> => {
    const generationIds = [...params.generationIds]
    if (generationIds.length === 0) return []
    const variables = variablesFor(AddGenerationsToDatasetDocument, { ...params, generationIds })
    return (await call(AddGenerationsToDatasetDocument, variables)).addGenerationsToDataset.items
  }

  const getDatasetItems = createList(async (params: GetDatasetItemsParams) => {
    const { dataset } = await call(GetDatasetItemsDocument, params)
    if (dataset === null)
      throw new StepwellError(`no dataset has the id ${JSON.stringify(params.datasetId)}`, {
        code: 'NOT_FOUND',
      })
    return toPage<DatasetItem>(dataset.items)
  })
  const updateDatasetItem = async (id: string, update: DatasetItemUpdate): Promise<DatasetItem> => {
    const variables = variablesFor(UpdateDatasetItemDocument, { ...update, id })
    return (await call(UpdateDatasetItemDocument, variables)).updateDatasetItem as DatasetItem
  }

  return {
    /**
     * Lists the items of a dataset, the oldest first. `getDatasetItems.all()` walks over all of them.
     *
     * @returns a page; an empty one when the dataset has no items.
     * @throws `INVALID_ARGUMENT` when a cursor or a size is invalid.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @scope `read`
     * @example
     * for await (const item of stepwell.api.getDatasetItems.all({ datasetId })) console.log(item.input, item.expectedOutput)
     */
    getDatasetItems,
    /**
     * Lists the items of a dataset; `getDatasetItems` in the other spelling.
     *
     * @returns a page; an empty one when the dataset has no items.
     * @throws `INVALID_ARGUMENT` when a cursor or a size is invalid.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_dataset_items({ dataset_id: datasetId, first: 20 })
     * console.log(data.map(({ expected_output }) => expected_output))
     */
    get_dataset_items: createSnakeList(getDatasetItems, 'DatasetItem'),

    /**
     * Changes an item. A field that is omitted keeps its stored value, null clears the expected output and empties the
     * metadata.
     *
     * @returns the item as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the input is null.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.updateDatasetItem(datasetItemId, { expectedOutput: { content: 'On its way.' } })
     */
    updateDatasetItem,
    /**
     * Changes an item; `updateDatasetItem` in the other spelling.
     *
     * @returns the item as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the input is null.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_dataset_item({ id: datasetItemId, expected_output: { content: 'On its way.' } })
     */
    update_dataset_item: async (
      params: {
        /** The item's id. */
        id: string
      } & Snake<DatasetItemUpdate>,
    ): Promise<Snake<DatasetItem>> => {
      const { id, ...update } = camelKeys<{ id: string } & DatasetItemUpdate>(params)
      return toSnake(await updateDatasetItem(id, update), 'DatasetItem')
    },

    /**
     * Lists the id and name of every dataset. Asks once for each 100 of them.
     *
     * @returns the datasets, the newest first; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { id, name } of await stepwell.api.getDatasets()) console.log(id, name)
     */
    getDatasets,
    /**
     * Lists the id and name of every dataset; `getDatasets` in the other spelling.
     *
     * @returns the datasets, the newest first; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { id, name } of await stepwell.api.get_datasets()) console.log(id, name)
     */
    get_datasets: getDatasets,

    /**
     * Creates a dataset.
     *
     * @returns the dataset.
     * @throws `CONFLICT` when the name is taken.
     * @throws `INVALID_ARGUMENT` when there is no name.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.createDataset({ name: 'complaints', description: 'Real ones, without names' })
     */
    createDataset,
    /**
     * Creates a dataset; `createDataset` in the other spelling.
     *
     * @returns the dataset.
     * @throws `CONFLICT` when the name is taken.
     * @throws `INVALID_ARGUMENT` when there is no name.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.create_dataset({ name: 'complaints', type: 'key_value' })
     */
    create_dataset: async (params: Snake<CreateDatasetParams>): Promise<Snake<Dataset>> =>
      toSnake(await createDataset(camelKeys<CreateDatasetParams>(params)), 'Dataset'),

    /**
     * Gets a dataset with all its items by its id or its name. `getDatasetItems` reads large ones page by page.
     *
     * @returns the dataset; null when there is none.
     * @throws `INVALID_ARGUMENT` when neither `id` nor `name` is given.
     * @throws `TOO_LARGE` when the items are larger than 128 MB: `getDatasetItems` reads such a dataset.
     * @scope `read`
     * @example
     * const dataset = await stepwell.api.getDataset({ name: 'refunds' })
     * console.log(dataset?.items.length)
     */
    getDataset,
    /**
     * Gets a dataset; `getDataset` in the other spelling.
     *
     * @returns the dataset; null when there is none.
     * @throws `INVALID_ARGUMENT` when neither `id` nor `name` is given.
     * @throws `TOO_LARGE` when the items are larger than 128 MB: `get_dataset_items` reads such a dataset.
     * @scope `read`
     * @example
     * const dataset = await stepwell.api.get_dataset({ id: datasetId })
     * console.log(dataset?.created_at)
     */
    get_dataset: async (params: DatasetSelector = {}): Promise<Snake<DatasetWithItems> | null> => {
      const dataset = await getDataset(params)
      if (dataset === null) return null
      const { items, ...rest } = dataset
      return { ...toSnake(rest, 'Dataset'), items: toSnake(items, 'DatasetItem') }
    },

    /**
     * Changes a dataset. A field that is omitted keeps its stored value, null clears the description and empties the
     * metadata.
     *
     * @returns the dataset as it is stored now.
     * @throws `CONFLICT` when the name is taken.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the name is null.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.updateDataset(datasetId, { description: 'Checked in May' })
     */
    updateDataset,
    /**
     * Changes a dataset; `updateDataset` in the other spelling.
     *
     * @returns the dataset as it is stored now.
     * @throws `CONFLICT` when the name is taken.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the name is null.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_dataset({ id: datasetId, description: 'Checked in May' })
     */
    update_dataset: async (
      params: {
        /** The dataset's id. */
        id: string
      } & Snake<DatasetUpdate>,
    ): Promise<Snake<Dataset>> => {
      const { id, ...update } = camelKeys<{ id: string } & DatasetUpdate>(params)
      return toSnake(await updateDataset(id, update), 'Dataset')
    },

    /**
     * Deletes a dataset with its items. Experiments on it stay, without a dataset.
     *
     * @returns the dataset as it was; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteDataset(datasetId)
     * if (deleted === null) console.log('there was no such dataset')
     */
    deleteDataset,
    /**
     * Deletes a dataset; `deleteDataset` in the other spelling.
     *
     * @returns the dataset as it was; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_dataset({ id: datasetId })
     */
    delete_dataset: async (dataset: IdParam): Promise<Snake<Dataset> | null> =>
      toSnake(await deleteDataset(idOf(dataset)), 'Dataset'),

    /**
     * Adds an item that is made by hand.
     *
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the item is no object.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.createDatasetItem(datasetId, {
     *   input: { question: 'Where is my order?' },
     *   expectedOutput: { content: 'On its way.' },
     * })
     */
    createDatasetItem,
    /**
     * Adds an item; `createDatasetItem` in the other spelling.
     *
     * @returns the item.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the item is no object.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.create_dataset_item({ dataset_id: datasetId, input: { question: 'Where is my order?' } })
     */
    create_dataset_item: async (
      params: {
        /** The dataset to add to, by its id. */
        dataset_id: string
      } & Snake<DatasetItemInput>,
    ): Promise<Snake<DatasetItem>> => {
      const { datasetId, ...item } = camelKeys<{ datasetId: string } & DatasetItemInput>(params)
      return toSnake(await createDatasetItem(datasetId, item), 'DatasetItem')
    },

    /**
     * Gets an item of a dataset.
     *
     * @returns the item; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const item = await stepwell.api.getDatasetItem(datasetItemId)
     * console.log(item?.input)
     */
    getDatasetItem,
    /**
     * Gets an item; `getDatasetItem` in the other spelling.
     *
     * @returns the item; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `read`
     * @example
     * const item = await stepwell.api.get_dataset_item(datasetItemId)
     * console.log(item?.expected_output)
     */
    get_dataset_item: async (item: IdParam): Promise<Snake<DatasetItem> | null> =>
      toSnake(await getDatasetItem(idOf(item)), 'DatasetItem'),

    /**
     * Deletes an item.
     *
     * @returns the item as it was; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteDatasetItem(datasetItemId)
     * if (deleted === null) console.log('there was no such item')
     */
    deleteDatasetItem,
    /**
     * Deletes an item; `deleteDatasetItem` in the other spelling.
     *
     * @returns the item as it was; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_dataset_item({ id: datasetItemId })
     */
    delete_dataset_item: async (item: IdParam): Promise<Snake<DatasetItem> | null> =>
      toSnake(await deleteDatasetItem(idOf(item)), 'DatasetItem'),

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
