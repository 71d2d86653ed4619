import {
  CreateDatasetDocument,
  type CreateDatasetMutationVariables,
  type DatasetFieldsFragment,
  DeleteDatasetDocument,
  GetDatasetsDocument,
  UpdateDatasetDocument,
  type UpdateDatasetMutationVariables,
} from '../../../generated/operations.js'
import type { DatasetType, Dataset as SchemaDataset } from '../../../generated/schema.js'
import { invalidArgument, StepwellError } from '../../errors.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import { nullWhenMissing } from '../calls/deleted.js'
import { type IdParam, idOf } from '../calls/raw.js'
import type { DatasetItem } from './items.js'

/** A dataset as the service returns it, without its items. */
export type Dataset = Pick<SchemaDataset, keyof DatasetFieldsFragment>
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
    (await call(CreateDatasetDocument, params)).createDataset as Dataset
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
    (await call(UpdateDatasetDocument, { ...update, id })).updateDataset as Dataset
  const deleteDataset = (id: string): Promise<Dataset | null> =>
    call(DeleteDatasetDocument, { id }).then(({ deleteDataset: one }) => one, nullWhenMissing)

  return {
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
  }
}
