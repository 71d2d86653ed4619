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
import { variablesFor } from '../transport/variables.js'
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
  /** `dev`, `staging`, `prod` or `experiment`; a new thread has the client's when absent. */
  environment?: string | null | undefined
}

export interface UpsertThreadParams extends ThreadChanges {
  threadId: string
}

export interface ListThreadsParams extends PageParams {
  filters?: ThreadsFilter[] | undefined
  orderBy?: OrderBy<ThreadsColumn> | undefined
}

export interface GetThreadsParams extends ListThreadsParams {
  /** The types of step to keep inside `steps`; it does not leave out threads. */
  stepTypesToKeep?: StepType[] | undefined
}

/** An interface, as the compiler drops the docstrings of a function's overloads. */
export interface UpsertThread<Result = Promise<Thread>> {
  /** Creates or updates a thread. A field that is absent keeps what is stored, null clears it. */
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
    (await call(CreateThreadDocument, variablesFor(CreateThreadDocument, params)))
      .createThread as Thread
  const updateThread = async (params: { id: string } & ThreadChanges): Promise<Thread> =>
    (await call(UpdateThreadDocument, variablesFor(UpdateThreadDocument, params)))
      .updateThread as Thread

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
    const variables = variablesFor(UpsertThreadDocument, { ...changes, id: threadId })
    return (await call(UpsertThreadDocument, variables)).upsertThread as Thread
  }

  return {
    /**
     * Creates or updates a thread. A field that is absent keeps what is stored, null clears it.
     *
     * @example
     * await stepwell.api.upsertThread({ threadId, name: 'Refund', participantId: 'ada@example.org' })
     */
    upsertThread,
    /** Creates or updates a thread; `upsertThread` in the other spelling. The id may be given as `id` or `thread_id`. */
    upsert_thread: async (
      params: ({ id: string } | { thread_id: string }) &
        Snake<Omit<UpsertThreadParams, 'threadId'>>,
    ): Promise<Snake<Thread>> => {
      const { id, threadId, ...changes } = camelKeys<UpsertThreadParams & { id?: string }>(
        params as Snake<UpsertThreadParams & { id?: string }>,
      )
      return toSnake(await upsertThread({ ...changes, threadId: id ?? threadId }), 'Thread')
    },

    /** Lists threads with their steps, the newest thread first. `listThreads` is lighter: it leaves out the steps. */
    getThreads,
    /** Lists threads with their steps; `getThreads` in the other spelling. */
    get_threads: createSnakeList(getThreads, 'Thread'),

    /** Lists threads without their steps, the newest first. */
    listThreads,
    /** Lists threads without their steps; `listThreads` in the other spelling. */
    list_threads: createSnakeList(listThreads, 'Thread'),

    /** Gets a thread with all its steps, the oldest first; null when nothing has this id. */
    getThread,
    /** Gets a thread; `getThread` in the other spelling. */
    get_thread: async (thread: IdParam): Promise<Snake<ThreadWithSteps> | null> =>
      toSnake(await getThread(idOf(thread)), 'Thread'),

    /** Deletes a thread with all its steps; copies in datasets stay. Resolves to its id, or to null when nothing had it. */
    deleteThread,
    /** Deletes a thread; `deleteThread` in the other spelling. */
    delete_thread: (thread: IdParam): Promise<string | null> => deleteThread(idOf(thread)),

    /** Creates a thread whose id the service chooses. */
    createThread,
    /** Creates a thread; `createThread` in the other spelling. */
    create_thread: async (params: Snake<ThreadChanges> = {}): Promise<Snake<Thread>> =>
      toSnake(await createThread(camelKeys<ThreadChanges>(params)), 'Thread'),

    /** Updates a thread; throws `NOT_FOUND` when nothing has this id. Absent keeps, null clears. */
    updateThread,
    /** Updates a thread; `updateThread` in the other spelling. */
    update_thread: async (params: { id: string } & Snake<ThreadChanges>): Promise<Snake<Thread>> =>
      toSnake(await updateThread(camelKeys<{ id: string } & ThreadChanges>(params)), 'Thread'),
  }
}
