import {
  CreateExperimentDocument,
  CreateExperimentItemDocument,
  type CreateExperimentItemMutationVariables,
  type CreateExperimentMutationVariables,
  DeleteExperimentDocument,
  EndExperimentDocument,
  type ExperimentFieldsFragment,
  type ExperimentItemFieldsFragment,
  GetExperimentItemsDocument,
  GetExperimentsDocument,
} from '../../generated/operations.js'
import type {
  DatasetExperiment as SchemaExperiment,
  DatasetExperimentItem as SchemaExperimentItem,
  ExperimentStatus as SchemaStatus,
} from '../../generated/schema.js'
import { StepwellError } from '../errors.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { wireScore } from '../values/scores.js'
import { type IdParam, idOf } from './calls/raw.js'
import type { Score, ScoreInput, ScoreSummary } from './scores.js'

/** An experiment as the service returns it. */
export type DatasetExperiment = Pick<SchemaExperiment, keyof ExperimentFieldsFragment>
/** The end of an experiment's run. */
export type ExperimentStatus = SchemaStatus
/** A result of an experiment, with the scores that were created with it. */
export type DatasetExperimentItem = Pick<
  SchemaExperimentItem,
  keyof ExperimentItemFieldsFragment
> & {
  scores: Score[]
  /**
   * The cost in dollars of the calls of models in its run, by the prices of the service; null when nothing has a price. Only with
   * `runCosts`.
   */
  runCost?: number | null
  /** Number of calls of models in its run of which some part has no price. Only with `runCosts`. */
  runUnpricedCount?: number | null
}

export interface CreateExperimentParams extends CreateExperimentMutationVariables {
  name: string
  /** The dataset that it runs on; an experiment may have none. */
  datasetId?: string | null | undefined
  /** The prompt variant or prompt version that it tries. */
  promptId?: string | null | undefined
  /** The same, as the legacy clients called it. */
  promptVariantId?: string | null | undefined
  /** The same, as experiments that were read have it. */
  promptExperimentId?: string | null | undefined
  params?: Record<string, unknown> | Record<string, unknown>[] | null | undefined
  /** The identity of its run: an experiment that has it already is returned unchanged. */
  identity?: string | null | undefined
}

export interface ExperimentItemInput extends Omit<CreateExperimentItemMutationVariables, 'scores'> {
  datasetExperimentId: string
  datasetItemId?: string | null | undefined
  /** The run that produced it; it may be sent later. Default: the `experimentItemRun` around the call. */
  experimentRunId?: string | null | undefined
  input?: Record<string, unknown> | null | undefined
  output?: Record<string, unknown> | null | undefined
  /** The reason why there is no output, or not every score. */
  error?: string | null | undefined
  /** The milliseconds that the task took. */
  durationMs?: number | null | undefined
  /** The tokens of the task's calls of models. */
  tokens?: number | null | undefined
  /** The price of the task's calls of models, in dollars. */
  cost?: number | null | undefined
  /** Scores to give to the item. */
  scores?: Omit<ScoreInput, 'datasetExperimentItemId'>[] | null | undefined
}

export type ExperimentWithScores = DatasetExperiment & {
  itemCount: number
  /** Number of its results with an error. */
  errorCount: number
  /** Its scores, summed up by name. */
  scores: ScoreSummary[]
}

export interface EndExperimentParams {
  /** The experiment, by its id. */
  id: string
  /** The end of its run. */
  status: ExperimentStatus
  /** The reason why it ended early or is broken. */
  problem?: string | null | undefined
}

/** Without `filters`, which these lists do not have. */
type Range = Pick<PageParams, 'first' | 'last' | 'after' | 'before'>

export interface GetExperimentsParams extends Range {
  /** Only those on this dataset. */
  datasetId?: string | undefined
}

export interface GetExperimentItemsParams extends Range {
  /** The experiment, by its id. */
  experimentId: string
  /** True reads `runCost` and `runUnpricedCount`, which takes longer. Default: false. */
  runCosts?: boolean | undefined
}

export const experimentsApi = (transport: Transport) => {
  const { call, ambient } = transport

  const createExperiment = async (params: CreateExperimentParams): Promise<DatasetExperiment> => {
    const { promptVariantId, promptExperimentId } = params
    const promptId = params.promptId ?? promptVariantId ?? promptExperimentId
    const variables = { ...params, promptId }
    return (await call(CreateExperimentDocument, variables))
      .createDatasetExperiment as DatasetExperiment
  }

  const createExperimentItem = async ({
    scores,
    experimentRunId = ambient().experimentItemRunId,
    ...item
  }: ExperimentItemInput): Promise<DatasetExperimentItem> => {
    // In one request: if a score were refused on its own, an item without it would be left behind.
    const variables = {
      ...item,
      experimentRunId,
      scores: (scores ?? []).map((score) => ({
        ...wireScore(score),
        datasetExperimentItemId: null,
      })),
    }
    const { createDatasetExperimentItem } = await call(CreateExperimentItemDocument, variables)
    return createDatasetExperimentItem as DatasetExperimentItem
  }

  const getExperiments = createList(async (params: GetExperimentsParams) =>
    toPage<ExperimentWithScores>((await call(GetExperimentsDocument, params)).datasetExperiments),
  )
  const getExperimentItems = createList(async (params: GetExperimentItemsParams) => {
    const { datasetExperiment } = await call(GetExperimentItemsDocument, params)
    if (datasetExperiment === null)
      throw new StepwellError(`no experiment has the id ${JSON.stringify(params.experimentId)}`, {
        code: 'NOT_FOUND',
      })
    return toPage<DatasetExperimentItem>(datasetExperiment.items)
  })
  const endExperiment = async (params: EndExperimentParams): Promise<DatasetExperiment | null> => {
    return (await call(EndExperimentDocument, params)).endDatasetExperiment
  }
  const deleteExperiment = async (id: string): Promise<string | null> =>
    (await call(DeleteExperimentDocument, { id })).deleteDatasetExperiment?.id ?? null

  return {
    /**
     * Lists experiments with their scores summed up, the newest first. `getExperiments.all()` walks over all of them.
     *
     * @returns a page; an empty one when there are none, or when nothing has the `datasetId`.
     * @throws `INVALID_ARGUMENT` when a cursor or a size is invalid.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.getExperiments({ datasetId, first: 5 })
     * for (const { name, scores } of data) console.log(name, scores)
     */
    getExperiments,
    /**
     * Lists experiments; `getExperiments` in the other spelling.
     *
     * @returns a page; an empty one when there are none, or when nothing has the `dataset_id`.
     * @throws `INVALID_ARGUMENT` when a cursor or a size is invalid.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_experiments({ first: 5 })
     * console.log(data.map(({ item_count }) => item_count))
     */
    get_experiments: createSnakeList(getExperiments, 'DatasetExperiment'),

    /**
     * Lists the results of an experiment, the oldest first. `getExperimentItems.all()` walks over all of them.
     *
     * @returns a page; an empty one when the experiment has no results.
     * @throws `INVALID_ARGUMENT` when a cursor or a size is invalid.
     * @throws `NOT_FOUND` when no experiment has this id.
     * @scope `read`
     * @example
     * for await (const { output, cost, runCost } of stepwell.api.getExperimentItems.all({ experimentId, runCosts: true }))
     *   console.log(output, cost ?? runCost)
     */
    getExperimentItems,
    /**
     * Lists the results of an experiment; `getExperimentItems` in the other spelling.
     *
     * @returns a page; an empty one when the experiment has no results.
     * @throws `INVALID_ARGUMENT` when a cursor or a size is invalid.
     * @throws `NOT_FOUND` when no experiment has this id.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_experiment_items({ experiment_id: experimentId })
     * console.log(data.map(({ dataset_item_id }) => dataset_item_id))
     */
    get_experiment_items: createSnakeList(getExperimentItems, 'DatasetExperimentItem'),

    /**
     * Deletes an experiment with its results and their scores. The runs stay.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteExperiment(experimentId)
     * if (deleted === null) console.log('there was no such experiment')
     */
    deleteExperiment,
    /**
     * Deletes an experiment; `deleteExperiment` in the other spelling.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_experiment({ id: experimentId })
     */
    delete_experiment: (experiment: IdParam): Promise<string | null> =>
      deleteExperiment(idOf(experiment)),

    /**
     * Notes the end of an experiment's run, so that lists and comparisons tell a stopped run from a complete one. A later end
     * replaces it.
     *
     * @returns the experiment; null when nothing has the id.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `TOO_LARGE` when `problem` is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.endExperiment({ id: experimentId, status: 'STOPPED', problem: 'the provider was down' })
     */
    endExperiment,
    /**
     * Notes the end of an experiment's run; `endExperiment` in the other spelling.
     *
     * @returns the experiment; null when nothing has the id.
     * @throws `INVALID_ARGUMENT` when the id is missing.
     * @throws `TOO_LARGE` when `problem` is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.end_experiment({ id: experimentId, status: 'COMPLETE' })
     */
    end_experiment: async (
      params: Snake<EndExperimentParams>,
    ): Promise<Snake<DatasetExperiment> | null> => {
      const ended = await endExperiment(camelKeys<EndExperimentParams>(params))
      return ended === null ? null : toSnake(ended, 'DatasetExperiment')
    },

    /**
     * Creates an experiment.
     *
     * @returns the experiment.
     * @throws `INVALID_ARGUMENT` when there is no name, or when `params` is neither an object nor a list.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @throws `TOO_LARGE` when `params` is larger than 3 MB.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.createExperiment({ name: 'shorter answers', datasetId, params: { temperature: 0 } })
     */
    createExperiment,
    /**
     * Creates an experiment; `createExperiment` in the other spelling.
     *
     * @returns the experiment.
     * @throws `INVALID_ARGUMENT` when there is no name, or when `params` is neither an object nor a list.
     * @throws `NOT_FOUND` when no dataset has this id.
     * @throws `TOO_LARGE` when `params` is larger than 3 MB.
     * @scope `write`
     * @example
     * const { id } = await stepwell.api.create_experiment({ name: 'shorter answers', dataset_id: datasetId })
     */
    create_experiment: async (
      params: Snake<CreateExperimentParams>,
    ): Promise<Snake<DatasetExperiment>> =>
      toSnake(
        await createExperiment(camelKeys<CreateExperimentParams>(params)),
        'DatasetExperiment',
      ),

    /**
     * Adds a result to an experiment, with its scores: all of it, or nothing when a score is invalid.
     *
     * @returns the item with the scores that were created.
     * @throws `INVALID_ARGUMENT` when the experiment is missing, or when a score is invalid.
     * @throws `NOT_FOUND` when there is no such experiment or item of a dataset.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.createExperimentItem({
     *   datasetExperimentId: experimentId,
     *   datasetItemId,
     *   output: { content: 'On its way.' },
     *   scores: [{ name: 'quality', type: 'AI', value: 0.8 }],
     * })
     */
    createExperimentItem,
    /**
     * Adds a result to an experiment; `createExperimentItem` in the other spelling.
     *
     * @returns the item with the scores that were created.
     * @throws `INVALID_ARGUMENT` when the experiment is missing, or when a score is invalid.
     * @throws `NOT_FOUND` when there is no such experiment or item of a dataset.
     * @throws `TOO_LARGE` when a payload is larger than 3 MB, or the metadata larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.create_experiment_item({
     *   dataset_experiment_id: experimentId,
     *   dataset_item_id: datasetItemId,
     *   output: { content: 'On its way.' },
     * })
     */
    create_experiment_item: async (
      params: Snake<ExperimentItemInput>,
    ): Promise<Snake<DatasetExperimentItem>> => {
      const { scores, ...item } = camelKeys<
        Omit<ExperimentItemInput, 'scores'> & { scores?: Snake<ScoreInput>[] | null }
      >(params as never)
      const created = await createExperimentItem({
        ...item,
        scores: scores?.map((score) => toCamel<ScoreInput>(score, 'ScoreInput')),
      })
      return toSnake(created, 'DatasetExperimentItem')
    },
  }
}
