import {
  CreateExperimentItemsDocument,
  LeaseExperimentItemsDocument,
  RetryExperimentItemsDocument,
} from '../../generated/operations.js'
import type {
  ExperimentLease as SchemaLease,
  RefusedResultScore as SchemaRefusedScore,
  ExperimentLeaseState as SchemaState,
} from '../../generated/schema.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { wireScore } from '../values/scores.js'
import type { ScoreInput } from './scores.js'

/** The state of an item of a run, as one of the processes that share the run sees it. */
export type ExperimentLeaseState = SchemaState
/** A lease of an item of a run. */
export type ExperimentLease = SchemaLease

/** An item of a run, in one of its repetitions. */
export interface ExperimentPlace {
  /** The key of the item, unique in the run. */
  key: string
  /** The repetition, from 1 on. */
  repetition: number
}

export interface LeaseExperimentItemsParams {
  /** The experiment of the run. */
  datasetExperimentId: string
  /** The process that leases: an id of its own choice. */
  holder: string
  /** At most 1,000 items, each once. */
  items: readonly ExperimentPlace[]
  /** The duration of the leases, at most 3,600; 0 gives the holder's leases back. */
  seconds: number
  /** Takes leases of other holders, too: only when they have surely ended. Default: false. */
  takeOver?: boolean | null | undefined
}

/** A result of an item that the caller has leased. */
export interface ExperimentResultInput extends ExperimentPlace {
  /** The dataset item that it was run on. */
  datasetItemId?: string | null | undefined
  /** The run that produced it; it may be sent later. */
  experimentRunId?: string | null | undefined
  /** The input. */
  input?: Record<string, unknown> | null | undefined
  /** The output that was expected, for an item of no dataset. */
  expectedOutput?: Record<string, unknown> | null | undefined
  /** The output. */
  output?: Record<string, unknown> | null | undefined
  /** The reason why there is no output, or not every score. */
  error?: string | null | undefined
  /** The milliseconds that the task took. */
  durationMs?: number | null | undefined
  /** The tokens of the task's calls of models. */
  tokens?: number | null | undefined
  /** The price of the task's calls of models, in dollars. */
  cost?: number | null | undefined
  /**
   * The group of the item, by which runs are compared. Default: the entry `group` or `threadId` of the dataset item's
   * metadata.
   */
  group?: string | null | undefined
  /** Scores to give to the item. */
  scores?: readonly Omit<ScoreInput, 'datasetExperimentItemId'>[] | null | undefined
}

export interface CreateExperimentItemsParams {
  /** The experiment of the run. */
  datasetExperimentId: string
  /** The process that has the leases. */
  holder: string
  /** At most 1,000 results, each of another item. */
  items: readonly ExperimentResultInput[]
}

/** A score that was not stored with its result, as it does not fit the definition of its name. */
export type RefusedResultScore = SchemaRefusedScore

/** Results as they were stored. */
export interface StoredExperimentResults {
  /** Their ids, in their order; null for one that was not stored, as the caller no longer has its lease. */
  ids: (string | null)[]
  /** The scores that were left out. The error of their result says so, too. */
  refusedScores: RefusedResultScore[]
}

export interface RetryExperimentItemsParams {
  /** The experiment of the run. */
  datasetExperimentId: string
}

export const leasesApi = ({ call }: Transport) => {
  const leaseExperimentItems = async (
    params: LeaseExperimentItemsParams,
  ): Promise<ExperimentLease[]> => {
    const variables = {
      ...params,
      items: [...params.items],
    }
    return (await call(LeaseExperimentItemsDocument, variables)).leaseDatasetExperimentItems.leases
  }
  const createExperimentItems = async ({
    items,
    ...params
  }: CreateExperimentItemsParams): Promise<StoredExperimentResults> => {
    const variables = {
      ...params,
      items: items.map(({ scores, ...item }) => ({
        ...item,
        scores: (scores ?? []).map((score) => ({
          ...wireScore(score),
          datasetExperimentItemId: null,
        })),
      })),
    }
    return (await call(CreateExperimentItemsDocument, variables)).createDatasetExperimentItems
  }
  const retryExperimentItems = async (params: RetryExperimentItemsParams): Promise<number> => {
    return (await call(RetryExperimentItemsDocument, params)).retryDatasetExperimentItems.count
  }

  return {
    /**
     * Leases items of a run for a process, so that no other process works on them. Items with a result, and those that
     * another process has leased, are not leased. A lease of the same holder is extended. Costs one request.
     *
     * @returns the leases, in the order of the items.
     * @throws `INVALID_ARGUMENT` when there is no holder, when an item comes twice, or when a number is out of range.
     * @throws `NOT_FOUND` when no experiment has this id.
     * @throws `TOO_LARGE` when a key is longer than 512 bytes.
     * @scope `write`
     * @example
     * const [lease] = await stepwell.api.leaseExperimentItems({
     *   datasetExperimentId: experimentId,
     *   holder: 'shard 1',
     *   items: [{ key: 'order 1815', repetition: 1 }],
     *   seconds: 60,
     * })
     * console.log(lease?.state)
     */
    leaseExperimentItems,
    /**
     * Leases items of a run; `leaseExperimentItems` in the other spelling.
     *
     * @returns the leases, in the order of the items.
     * @throws `INVALID_ARGUMENT` when there is no holder, when an item comes twice, or when a number is out of range.
     * @throws `NOT_FOUND` when no experiment has this id.
     * @throws `TOO_LARGE` when a key is longer than 512 bytes.
     * @scope `write`
     * @example
     * const items = [{ key: 'order 1815', repetition: 1 }]
     * await stepwell.api.lease_experiment_items({ dataset_experiment_id: experimentId, holder: 'shard 1', items, seconds: 60 })
     */
    lease_experiment_items: async (
      params: Snake<LeaseExperimentItemsParams>,
    ): Promise<Snake<ExperimentLease>[]> =>
      toSnake(
        await leaseExperimentItems(camelKeys<LeaseExperimentItemsParams>(params)),
        'ExperimentLease',
      ),

    /**
     * Adds results of items that the caller has leased, with their scores: all of them, or none when one is invalid. A
     * result that is sent again is stored once.
     *
     * @returns the ids of the results, in their order, null for one that was not stored, as the caller no longer has its lease;
     *   and the scores that were left out, as they do not fit the definitions of their names.
     * @throws `INVALID_ARGUMENT` when there is no holder, when an item comes twice, or when a score is invalid.
     * @throws `NOT_FOUND` when there is no such experiment or item of a dataset.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or a text larger than 1 MB.
     * @scope `write`
     * @example
     * const place = { key: 'order 1815', repetition: 1 }
     * const run = { datasetExperimentId: experimentId, holder: 'shard 1' }
     * await stepwell.api.leaseExperimentItems({ ...run, items: [place], seconds: 60 })
     * const output = { content: await agent(question) }
     * await stepwell.api.createExperimentItems({ ...run, items: [{ ...place, output }] })
     */
    createExperimentItems,
    /**
     * Adds results of leased items; `createExperimentItems` in the other spelling.
     *
     * @returns the ids of the results, in their order, null for one that was not stored, as the caller no longer has its lease;
     *   and the scores that were left out, as they do not fit the definitions of their names.
     * @throws `INVALID_ARGUMENT` when there is no holder, when an item comes twice, or when a score is invalid.
     * @throws `NOT_FOUND` when there is no such experiment or item of a dataset.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or a text larger than 1 MB.
     * @scope `write`
     * @example
     * const items = [{ key: 'order 1815', repetition: 1, output: { content: 'On its way.' } }]
     * await stepwell.api.create_experiment_items({ dataset_experiment_id: experimentId, holder: 'shard 1', items })
     */
    create_experiment_items: async (
      params: Snake<CreateExperimentItemsParams>,
    ): Promise<Snake<StoredExperimentResults>> => {
      const { items, ...run } = camelKeys<CreateExperimentItemsParams>(params as never)
      const stored = await createExperimentItems({
        ...run,
        items: items.map((item) =>
          toCamel<ExperimentResultInput>(item as never, 'ExperimentResultInput'),
        ),
      })
      return toSnake(stored, 'CreateDatasetExperimentItemsPayload')
    },

    /**
     * Deletes failed results of a run whose items were leased, with their scores, so that these items can be leased again.
     * The runs and threads that their tasks recorded stay.
     *
     * @returns the number of results that were deleted. It is 1,000 at most: more may be left then.
     * @throws `NOT_FOUND` when no experiment has this id.
     * @scope `write`
     * @example
     * while ((await stepwell.api.retryExperimentItems({ datasetExperimentId: experimentId })) > 0);
     */
    retryExperimentItems,
    /**
     * Deletes failed results of a run; `retryExperimentItems` in the other spelling.
     *
     * @returns the number of results that were deleted. It is 1,000 at most: more may be left then.
     * @throws `NOT_FOUND` when no experiment has this id.
     * @scope `write`
     * @example
     * console.log(await stepwell.api.retry_experiment_items({ dataset_experiment_id: experimentId }))
     */
    retry_experiment_items: (params: Snake<RetryExperimentItemsParams>): Promise<number> =>
      retryExperimentItems(camelKeys<RetryExperimentItemsParams>(params)),
  }
}
