import {
  CreateDatasetItemDocument,
  type CreateDatasetItemMutationVariables,
  type DatasetItemFieldsFragment,
  DeleteDatasetItemDocument,
  GetDatasetItemDocument,
  GetDatasetItemsDocument,
  UpdateDatasetItemDocument,
  type UpdateDatasetItemMutationVariables,
} from '../../../generated/operations.js'
import type { DatasetItem as SchemaDatasetItem } from '../../../generated/schema.js'
import { StepwellError } from '../../errors.js'
import { createList, createSnakeList, type PageParams, toPage } from '../../lists/pagination.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import { nullWhenMissing } from '../calls/deleted.js'
import { type IdParam, idOf } from '../calls/raw.js'

export type DatasetItem = Pick<SchemaDatasetItem, keyof DatasetItemFieldsFragment>

export interface DatasetItemInput extends Omit<CreateDatasetItemMutationVariables, 'datasetId'> {
  input: Record<string, unknown>
  expectedOutput?: Record<string, unknown> | null | undefined
  metadata?: Record<string, unknown> | null | undefined
}

export interface GetDatasetItemsParams
  extends Pick<PageParams, 'first' | 'last' | 'after' | 'before'> {
  /** The dataset, by its id. */
  datasetId: string
}

export type DatasetItemUpdate = Omit<UpdateDatasetItemMutationVariables, 'id'> &
  Partial<DatasetItemInput>

export const datasetItemsApi = ({ call }: Transport) => {
  const getDatasetItems = createList(async (params: GetDatasetItemsParams) => {
    const { dataset } = await call(GetDatasetItemsDocument, params)
    if (dataset === null)
      throw new StepwellError(`no dataset has the id ${JSON.stringify(params.datasetId)}`, {
        code: 'NOT_FOUND',
      })
    return toPage<DatasetItem>(dataset.items)
  })
  const updateDatasetItem = async (id: string, update: DatasetItemUpdate): Promise<DatasetItem> => {
    return (await call(UpdateDatasetItemDocument, { ...update, id }))
      .updateDatasetItem as DatasetItem
  }
  const createDatasetItem = async (
    datasetId: string,
    item: DatasetItemInput,
  ): Promise<DatasetItem> => {
    return (await call(CreateDatasetItemDocument, { ...item, datasetId }))
      .createDatasetItem as DatasetItem
  }
  const getDatasetItem = async (id: string): Promise<DatasetItem | null> =>
    (await call(GetDatasetItemDocument, { id })).datasetItem
  const deleteDatasetItem = (id: string): Promise<DatasetItem | null> =>
    call(DeleteDatasetItemDocument, { id }).then(
      ({ deleteDatasetItem: one }) => one,
      nullWhenMissing,
    )

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
  }
}
