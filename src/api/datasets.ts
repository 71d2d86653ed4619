import {
  AddGenerationsToDatasetDocument,
  type AddGenerationsToDatasetMutationVariables,
  AddGenerationToDatasetDocument,
  type AddGenerationToDatasetMutationVariables,
  AddStepToDatasetDocument,
  type AddStepToDatasetMutationVariables,
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
  /** `key_value` when absent. */
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
  datasetId: string
}

export type DatasetItemUpdate = Omit<UpdateDatasetItemMutationVariables, 'id'> &
  Partial<DatasetItemInput>

export interface AddStepParams extends AddStepToDatasetMutationVariables {
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
  id?: string | undefined
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
    /** Lists the items of a dataset page by page, the oldest first. Throws `NOT_FOUND`. */
    getDatasetItems,
    /** Lists the items of a dataset; `getDatasetItems` in the other spelling. */
    get_dataset_items: createSnakeList(getDatasetItems, 'DatasetItem'),

    /** Changes an item; absent keeps, null clears the expected output. Throws `NOT_FOUND`. */
    updateDatasetItem,
    /** Changes an item; `updateDatasetItem` in the other spelling. */
    update_dataset_item: async (
      params: { id: string } & Snake<DatasetItemUpdate>,
    ): Promise<Snake<DatasetItem>> => {
      const { id, ...update } = camelKeys<{ id: string } & DatasetItemUpdate>(params)
      return toSnake(await updateDatasetItem(id, update), 'DatasetItem')
    },

    /** Lists the id and name of every dataset, the newest first. */
    getDatasets,
    /** Lists the id and name of every dataset; `getDatasets` in the other spelling. */
    get_datasets: getDatasets,

    /** Creates a dataset; throws `CONFLICT` when the name is taken. */
    createDataset,
    /** Creates a dataset; `createDataset` in the other spelling. */
    create_dataset: async (params: Snake<CreateDatasetParams>): Promise<Snake<Dataset>> =>
      toSnake(await createDataset(camelKeys<CreateDatasetParams>(params)), 'Dataset'),

    /** Gets a dataset with all its items by its id or its name; null when there is none. */
    getDataset,
    /** Gets a dataset; `getDataset` in the other spelling. */
    get_dataset: async (params: DatasetSelector = {}): Promise<Snake<DatasetWithItems> | null> => {
      const dataset = await getDataset(params)
      if (dataset === null) return null
      const { items, ...rest } = dataset
      return { ...toSnake(rest, 'Dataset'), items: toSnake(items, 'DatasetItem') }
    },

    /** Changes a dataset; absent keeps, null clears. Throws `NOT_FOUND`, and `CONFLICT` when the name is taken. */
    updateDataset,
    /** Changes a dataset; `updateDataset` in the other spelling. */
    update_dataset: async (
      params: { id: string } & Snake<DatasetUpdate>,
    ): Promise<Snake<Dataset>> => {
      const { id, ...update } = camelKeys<{ id: string } & DatasetUpdate>(params)
      return toSnake(await updateDataset(id, update), 'Dataset')
    },

    /** Deletes a dataset with its items; experiments on it stay. Resolves to the dataset, or to null when nothing had this id. */
    deleteDataset,
    /** Deletes a dataset; `deleteDataset` in the other spelling. */
    delete_dataset: async (dataset: IdParam): Promise<Snake<Dataset> | null> =>
      toSnake(await deleteDataset(idOf(dataset)), 'Dataset'),

    /** Adds an item made by hand. */
    createDatasetItem,
    /** Adds an item; `createDatasetItem` in the other spelling. */
    create_dataset_item: async (
      params: { dataset_id: string } & Snake<DatasetItemInput>,
    ): Promise<Snake<DatasetItem>> => {
      const { datasetId, ...item } = camelKeys<{ datasetId: string } & DatasetItemInput>(params)
      return toSnake(await createDatasetItem(datasetId, item), 'DatasetItem')
    },

    /** Gets an item; null when nothing has this id. */
    getDatasetItem,
    /** Gets an item; `getDatasetItem` in the other spelling. */
    get_dataset_item: async (item: IdParam): Promise<Snake<DatasetItem> | null> =>
      toSnake(await getDatasetItem(idOf(item)), 'DatasetItem'),

    /** Deletes an item. Resolves to it, or to null when nothing had this id. */
    deleteDatasetItem,
    /** Deletes an item; `deleteDatasetItem` in the other spelling. */
    delete_dataset_item: async (item: IdParam): Promise<Snake<DatasetItem> | null> =>
      toSnake(await deleteDatasetItem(idOf(item)), 'DatasetItem'),

    /** Copies a step into a `key_value` dataset: its input, its output as the expected one, and the steps below it. */
    addStepToDataset: (
      datasetId: string,
      stepId: string,
      metadata?: Metadata,
    ): Promise<DatasetItem> => addStep({ datasetId, stepId, metadata }),
    /** Copies a step into a dataset; `addStepToDataset` in the other spelling. */
    add_step_to_dataset: async (params: Snake<AddStepParams>): Promise<Snake<DatasetItem>> =>
      toSnake(await addStep(camelKeys<AddStepParams>(params)), 'DatasetItem'),

    /** Copies a generation into a dataset: its messages or prompt as input, its completion as the expected output. */
    addGenerationToDataset: (
      datasetId: string,
      generationId: string,
      metadata?: Metadata,
    ): Promise<DatasetItem> => addGeneration({ datasetId, generationId, metadata }),
    /** Copies a generation into a dataset; `addGenerationToDataset` in the other spelling. */
    add_generation_to_dataset: async (
      params: Snake<AddGenerationParams>,
    ): Promise<Snake<DatasetItem>> =>
      toSnake(await addGeneration(camelKeys<AddGenerationParams>(params)), 'DatasetItem'),

    /** Copies generations into a dataset in one request: all of them, or none when one can't be. An empty list sends nothing. */
    addGenerationsToDataset: (
      datasetId: string,
      generationIds: readonly string[],
    ): Promise<DatasetItem[]> => addGenerations({ datasetId, generationIds }),
    /** Copies generations into a dataset; `addGenerationsToDataset` in the other spelling. */
    add_generations_to_dataset: async (
      params: Snake<AddGenerationsParams>,
    ): Promise<Snake<DatasetItem>[]> =>
      toSnake(await addGenerations(camelKeys<AddGenerationsParams>(params)), 'DatasetItem'),
  }
}
