import {
  CreateViewDocument,
  type CreateViewMutationVariables,
  DeleteViewDocument,
  GetViewsDocument,
  UpdateViewDocument,
  type UpdateViewMutationVariables,
  type ViewFieldsFragment,
} from '../../../generated/operations.js'
import type { ViewSubject as SchemaSubject, View as SchemaView } from '../../../generated/schema.js'
import { camelKeys, type Snake, toSnake } from '../../spelling.js'
import type { Transport } from '../../transport/transport.js'
import { type IdParam, idOf } from '../calls/raw.js'

/** A filter of a list with a name, which everyone in the project sees. */
export type View = Pick<SchemaView, keyof ViewFieldsFragment>
/** The list that a view shows. */
export type ViewSubject = SchemaSubject

export interface GetViewsParams {
  /** Only views of this list. */
  subject?: ViewSubject | undefined
}

/** The rows of a view, and the way in which a list shows them. */
type Shown = Omit<CreateViewMutationVariables, 'subject' | 'name' | 'query'> & {
  /** The range of time: a length up to now such as `7d`, or two moments separated by `..`. */
  range?: string | null | undefined
  /** The environment of the rows. */
  environment?: string | null | undefined
  /** True makes the list open with it, and no other view of the list. */
  isDefault?: boolean | null | undefined
}

export interface CreateViewParams extends Shown {
  /** The list that it shows. */
  subject: ViewSubject
  /** The name, at most 200 characters, which no other view of the list has. */
  name: string
  /** The conditions as text, as in `query` of the list. */
  query: string
}

export interface ViewUpdate extends Shown, Omit<UpdateViewMutationVariables, 'id' | keyof Shown> {
  name?: string | undefined
  /** The conditions as text, as in `query` of the list. */
  query?: string | undefined
}

export const viewsApi = ({ call }: Transport) => {
  const getViews = async (params: GetViewsParams = {}): Promise<View[]> =>
    (await call(GetViewsDocument, { ...params })).views
  const createView = async (params: CreateViewParams): Promise<View> =>
    (await call(CreateViewDocument, { ...params })).createView
  const updateView = async (id: string, update: ViewUpdate): Promise<View> =>
    (await call(UpdateViewDocument, { ...update, id })).updateView
  const deleteView = async (id: string): Promise<string | null> =>
    (await call(DeleteViewDocument, { id })).deleteView?.id ?? null

  return {
    /**
     * Lists the saved views of the project, by name: filters of a list that have a name.
     *
     * @returns the views; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * const [view] = await stepwell.api.getViews({ subject: 'THREADS' })
     * if (view !== undefined) console.log((await stepwell.api.listThreads({ query: view.query })).data.length)
     */
    getViews,
    /**
     * Lists the saved views of the project; `getViews` in the other spelling.
     *
     * @returns the views; an empty list when there are none.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, is_default } of await stepwell.api.get_views({ subject: 'STEPS' })) console.log(name, is_default)
     */
    get_views: async (params: GetViewsParams = {}): Promise<Snake<View>[]> =>
      toSnake(await getViews(params), 'View'),

    /**
     * Saves a view of a list, which everyone in the project sees.
     *
     * @returns the view as it is stored.
     * @throws `CONFLICT` when a view of the list has the name.
     * @throws `INVALID_ARGUMENT` when the query can't be read, or when a name is empty or too long.
     * @throws `TOO_LARGE` when the project has 500 views.
     * @scope `write`
     * @example
     * await stepwell.api.createView({ subject: 'THREADS', name: 'Failed', query: 'error:any', range: '7d' })
     */
    createView,
    /**
     * Saves a view of a list; `createView` in the other spelling.
     *
     * @returns the view as it is stored.
     * @throws `CONFLICT` when a view of the list has the name.
     * @throws `INVALID_ARGUMENT` when the query can't be read, or when a name is empty or too long.
     * @throws `TOO_LARGE` when the project has 500 views.
     * @scope `write`
     * @example
     * await stepwell.api.create_view({ subject: 'THREADS', name: 'Slow', query: 'duration>30', is_default: true })
     */
    create_view: async (params: Snake<CreateViewParams>): Promise<Snake<View>> =>
      toSnake(await createView(camelKeys<CreateViewParams>(params)), 'View'),

    /**
     * Changes a view. Omitted fields keep their stored values; null clears them.
     *
     * @returns the view as it is stored now.
     * @throws `CONFLICT` when another view of the list has the name.
     * @throws `INVALID_ARGUMENT` when the id is empty, when the query can't be read, or when a name is empty or too long.
     * @throws `NOT_FOUND` when no view has this id.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.createView({ subject: 'THREADS', name: 'Late', query: 'duration>30' })
     * await stepwell.api.updateView(id, { isDefault: true })
     */
    updateView,
    /**
     * Changes a view; `updateView` in the other spelling.
     *
     * @returns the view as it is stored now.
     * @throws `CONFLICT` when another view of the list has the name.
     * @throws `INVALID_ARGUMENT` when the id is empty, when the query can't be read, or when a name is empty or too long.
     * @throws `NOT_FOUND` when no view has this id.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.create_view({ subject: 'THREADS', name: 'Later', query: 'duration>60' })
     * await stepwell.api.update_view({ id, order_column: 'duration', order_direction: 'DESC' })
     */
    update_view: async (
      params: {
        /** The view's id. */
        id: string
      } & Snake<ViewUpdate>,
    ): Promise<Snake<View>> => {
      const { id, ...update } = camelKeys<{ id: string } & ViewUpdate>(params)
      return toSnake(await updateView(id, update), 'View')
    },

    /**
     * Deletes a view. The rows that it shows stay.
     *
     * @returns the id; null when no view had it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.createView({ subject: 'THREADS', name: 'Today', query: 'error:any', range: '24h' })
     * await stepwell.api.deleteView(id)
     */
    deleteView,
    /**
     * Deletes a view; `deleteView` in the other spelling.
     *
     * @returns the id; null when no view had it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.create_view({ subject: 'THREADS', name: 'Week', query: 'error:any', range: '7d' })
     * await stepwell.api.delete_view({ id })
     */
    delete_view: (view: IdParam): Promise<string | null> => deleteView(idOf(view)),
  }
}
