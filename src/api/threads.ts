import type { ThreadsColumn } from '../../generated/filters.js'
import {
  CreateThreadDocument,
  DeleteThreadDocument,
  GetThreadDocument,
  GetThreadsDocument,
  ListThreadsDocument,
  type ThreadFieldsFragment,
  UpdateThreadDocument,
  UpsertThreadDocument,
  type UpsertThreadMutationVariables,
} from '../../generated/operations.js'
import type { Participant, Thread as SchemaThread, StepType } from '../../generated/schema.js'
import type { OrderBy, ThreadsFilter } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { type IdParam, idOf } from './calls/raw.js'
import type { Step } from './steps.js'

/** A thread as the service returns it, without its steps. */
export type Thread = Omit<Pick<SchemaThread, keyof ThreadFieldsFragment>, 'participant'> & {
  /** The user in the conversation; null when nobody said. */
  participant: Pick<Participant, 'id' | 'identifier' | 'metadata'> | null
}

/** A thread with its steps, the oldest first. */
export type ThreadWithSteps = Thread & { steps: Step[] }

/** The fields of a thread that can be set: each variable of the operation, those that need more words described. */
export interface ThreadChanges extends Omit<UpsertThreadMutationVariables, 'id'> {
  /** Its title. */
  name?: string | null | undefined
  /** Merged into what is stored key by key; a key whose value is null is removed. */
  metadata?: Record<string, unknown> | null | undefined
  /** The user: an id or identifier. An identifier that is not known yet creates the user. */
  participantId?: string | null | undefined
  /** Labels; they replace those that were there. */
  tags?: string[] | null | undefined
  /** `dev`, `staging`, `prod` or `experiment`. Default for a new thread: that of the client. */
  environment?: string | null | undefined
}

export interface UpsertThreadParams extends ThreadChanges {
  /** The thread's id, of any form. */
  threadId: string
}

export interface ListThreadsParams extends PageParams {
  /** Conditions that must all hold. When omitted, all threads pass. */
  filters?: ThreadsFilter[] | undefined
  /** Conditions as text, such as `any(type=tool error:any) score[quality]<0.5`, which must hold beside `filters`. */
  query?: string | undefined
  /** The order of the list. Default: the newest first. */
  orderBy?: OrderBy<ThreadsColumn> | undefined
}

export interface GetThreadsParams extends ListThreadsParams {
  /** The types of step to keep inside `steps`; it does not leave out threads. */
  stepTypesToKeep?: StepType[] | undefined
}

/** An interface, as the compiler drops the docstrings of a function's overloads. */
export interface UpsertThread<Result = Promise<Thread>> {
  /** Creates or updates a thread. A field that is omitted keeps its stored value, null clears it. */
  (params: UpsertThreadParams): Result
  /**
   * Creates or updates a thread.
   *
   * @deprecated Pass one object.
   */
  (
    threadId: string,
    name?: string | null,
    metadata?: Record<string, unknown> | null,
    participantId?: string | null,
    tags?: string[] | null,
  ): Result
}

export const threadsApi = ({ call }: Transport) => {
  const getThreads = createList(async (params: GetThreadsParams) =>
    toPage<ThreadWithSteps>((await call(GetThreadsDocument, params)).threads),
  )
  const listThreads = createList(async (params: ListThreadsParams) =>
    toPage<Thread>((await call(ListThreadsDocument, params)).threads),
  )
  const getThread = async (id: string): Promise<ThreadWithSteps | null> =>
    (await call(GetThreadDocument, { id })).threadDetail
  const deleteThread = async (id: string): Promise<string | null> =>
    (await call(DeleteThreadDocument, { id })).deleteThread?.id ?? null
  const createThread = async (params: ThreadChanges = {}): Promise<Thread> =>
    (await call(CreateThreadDocument, params)).createThread as Thread
  const updateThread = async (
    params: {
      /** The thread's id. */
      id: string
    } & ThreadChanges,
  ): Promise<Thread> => (await call(UpdateThreadDocument, params)).updateThread as Thread

  const upsertThread: UpsertThread = async (
    params: UpsertThreadParams | string,
    ...[name, metadata, participantId, tags]: [
      name?: string | null,
      metadata?: Record<string, unknown> | null,
      participantId?: string | null,
      tags?: string[] | null,
    ]
  ): Promise<Thread> => {
    if (typeof params === 'string')
      return upsertThread({ threadId: params, name, metadata, participantId, tags })
    const { threadId, ...changes } = params
    return (await call(UpsertThreadDocument, { ...changes, id: threadId })).upsertThread as Thread
  }

  return {
    /**
     * Creates or updates a thread. A field that is omitted keeps its stored value, null clears it. Metadata is merged
     * by key.
     *
     * @returns the thread as it is stored now.
     * @throws `INVALID_ARGUMENT` when there is no id, or when the environment is unknown.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * await stepwell.api.upsertThread({ threadId, name: 'Refund', participantId: 'ada@example.org' })
     */
    upsertThread,
    /**
     * Creates or updates a thread; `upsertThread` in the other spelling. The id may be given as `id` or `thread_id`.
     *
     * @returns the thread as it is stored now.
     * @throws `INVALID_ARGUMENT` when there is no id, or when the environment is unknown.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * await stepwell.api.upsert_thread({ thread_id: threadId, name: 'Refund', participant_id: 'ada@example.org' })
     */
    upsert_thread: async (
      params: (
        | {
            /** The thread's id. */
            id: string
          }
        | {
            /** The thread's id. */
            thread_id: string
          }
      ) &
        Snake<Omit<UpsertThreadParams, 'threadId'>>,
    ): Promise<Snake<Thread>> => {
      const { id, threadId, ...changes } = camelKeys<UpsertThreadParams & { id?: string }>(
        params as Snake<UpsertThreadParams & { id?: string }>,
      )
      return toSnake(await upsertThread({ ...changes, threadId: id ?? threadId }), 'Thread')
    },

    /**
     * Lists threads with their steps, the newest thread first. `listThreads` costs less: it omits the steps.
     * `getThreads.all()` walks over all of them.
     *
     * @returns a page; an empty one when no thread passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most, or when the steps
     *   are larger than 128 MB.
     * @scope `read`
     * @example
     * for await (const thread of stepwell.api.getThreads.all({ stepTypesToKeep: ['user_message'] }))
     *   console.log(thread.name, thread.steps.length)
     */
    getThreads,
    /**
     * Lists threads with their steps; `getThreads` in the other spelling.
     *
     * @returns a page; an empty one when no thread passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most, or when the steps
     *   are larger than 128 MB.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_threads({ first: 5, step_types_to_keep: ['user_message'] })
     * console.log(data.map(({ created_at }) => created_at))
     */
    get_threads: createSnakeList(getThreads, 'Thread'),

    /**
     * Lists threads without their steps, the newest first. `listThreads.all()` walks over all of them.
     *
     * @returns a page; an empty one when no thread passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.listThreads({
     *   filters: [{ field: 'participantIdentifiers', operator: 'in', value: ['ada@example.org'] }],
     * })
     * console.log(data.map(({ name }) => name))
     */
    listThreads,
    /**
     * Lists threads without their steps; `listThreads` in the other spelling.
     *
     * @returns a page; an empty one when no thread passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.list_threads({ first: 20 })
     * console.log(data.map(({ created_at }) => created_at))
     */
    list_threads: createSnakeList(listThreads, 'Thread'),

    /**
     * Gets a thread with all its steps, the oldest first.
     *
     * @returns the thread; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `TOO_LARGE` when the steps are larger than 128 MB: `getOutline` reads such a thread.
     * @scope `read`
     * @example
     * const thread = await stepwell.api.getThread(threadId)
     * for (const step of thread?.steps ?? []) console.log(step.name)
     */
    getThread,
    /**
     * Gets a thread; `getThread` in the other spelling.
     *
     * @returns the thread; null when nothing has this id.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @throws `TOO_LARGE` when the steps are larger than 128 MB: `get_outline` reads such a thread.
     * @scope `read`
     * @example
     * const thread = await stepwell.api.get_thread(threadId)
     * console.log(thread?.participant?.identifier)
     */
    get_thread: async (thread: IdParam): Promise<Snake<ThreadWithSteps> | null> =>
      toSnake(await getThread(idOf(thread)), 'Thread'),

    /**
     * Deletes a thread with all its steps. Copies in datasets stay.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteThread(threadId)
     * if (deleted === null) console.log('there was no such thread')
     */
    deleteThread,
    /**
     * Deletes a thread; `deleteThread` in the other spelling.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_thread({ id: threadId })
     */
    delete_thread: (thread: IdParam): Promise<string | null> => deleteThread(idOf(thread)),

    /**
     * Creates a thread whose id the service chooses. `upsertThread` takes an id of your own.
     *
     * @returns the thread.
     * @throws `INVALID_ARGUMENT` when the environment is unknown.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * const { id } = await stepwell.api.createThread({ name: 'Refund', participantId: 'ada@example.org' })
     */
    createThread,
    /**
     * Creates a thread; `createThread` in the other spelling.
     *
     * @returns the thread.
     * @throws `INVALID_ARGUMENT` when the environment is unknown.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `ingest` or `write`
     * @example
     * const { id } = await stepwell.api.create_thread({ name: 'Refund', participant_id: 'ada@example.org' })
     */
    create_thread: async (params: Snake<ThreadChanges> = {}): Promise<Snake<Thread>> =>
      toSnake(await createThread(camelKeys<ThreadChanges>(params)), 'Thread'),

    /**
     * Updates a thread. A field that is omitted keeps its stored value, null clears it. Metadata is merged by key.
     *
     * @returns the thread as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is missing, or when the environment is unknown.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.updateThread({ id: threadId, tags: ['resolved'] })
     */
    updateThread,
    /**
     * Updates a thread; `updateThread` in the other spelling.
     *
     * @returns the thread as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is missing, or when the environment is unknown.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text or the metadata is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_thread({ id: threadId, participant_id: userId })
     */
    update_thread: async (
      params: {
        /** The thread's id. */
        id: string
      } & Snake<ThreadChanges>,
    ): Promise<Snake<Thread>> =>
      toSnake(await updateThread(camelKeys<{ id: string } & ThreadChanges>(params)), 'Thread'),
  }
}
