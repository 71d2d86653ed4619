import {
  CreateExperimentDocument,
  CreateExperimentItemDocument,
  type CreateExperimentItemMutationVariables,
  type CreateExperimentMutationVariables,
  DeleteExperimentDocument,
  type ExperimentFieldsFragment,
  type ExperimentItemFieldsFragment,
  GetExperimentItemsDocument,
  GetExperimentsDocument,
} from '../../generated/operations.js'
import type {
  DatasetExperiment as SchemaExperiment,
  DatasetExperimentItem as SchemaExperimentItem,
} from '../../generated/schema.js'
import { StepwellError } from '../errors.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { variablesFor } from '../transport/variables.js'
import { type IdParam, idOf } from './calls/raw.js'
import type { Score, ScoreInput, ScoreSummary } from './scores.js'

/** An experiment as the service returns it. */
export type DatasetExperiment = Pick<SchemaExperiment, keyof ExperimentFieldsFragment>
/** A result of an experiment, with the scores that were created with it. */
export type DatasetExperimentItem = Pick<
  SchemaExperimentItem,
  keyof ExperimentItemFieldsFragment
> & {
  scores: Score[]
}

export interface CreateExperimentParams
  extends Omit<CreateExperimentMutationVariables, 'promptExperimentId'> {
  name: string
  /** The dataset that it runs on; an experiment may have none. */
  datasetId?: string | null | undefined
  /** The prompt variant or prompt version that it tries. */
  promptId?: string | null | undefined
  /** The same, as the legacy clients called it. */
  promptVariantId?: string | null | undefined
  params?: Record<string, unknown> | Record<string, unknown>[] | null | undefined
}

export interface ExperimentItemInput extends Omit<CreateExperimentItemMutationVariables, 'scores'> {
  datasetExperimentId: string
  datasetItemId?: string | null | undefined
  /** The run that produced it; it may be sent later. That of the `experimentItemRun` around the call when absent. */
  experimentRunId?: string | null | undefined
  input?: Record<string, unknown> | null | undefined
  output?: Record<string, unknown> | null | undefined
  /** Scores to give to the item. */
  scores?: Omit<ScoreInput, 'datasetExperimentItemId'>[] | null | undefined
}

export type ExperimentWithScores = DatasetExperiment & {
  itemCount: number
  /** Its scores, summed up by name. */
  scores: ScoreSummary[]
}

/** Without `filters`, which these lists do not have. */
type Range = Pick<PageParams, 'first' | 'last' | 'after' | 'before'>

export interface GetExperimentsParams extends Range {
  /** Only those on this dataset. */
  datasetId?: string | undefined
}

export interface GetExperimentItemsParams extends Range {
  experimentId: string
}

export const experimentsApi = (transport: Transport) => {
  const { call, ambient } = transport

  const createExperiment = async (params: CreateExperimentParams): Promise<DatasetExperiment> => {
    const { promptId, promptVariantId, ...rest } = params
    const variables = variablesFor(CreateExperimentDocument, {
      ...rest,
      promptExperimentId: promptId ?? promptVariantId,
    })
    return (await call(CreateExperimentDocument, variables))
      .createDatasetExperiment as DatasetExperiment
  }

  const createExperimentItem = async ({
    scores,
    experimentRunId = ambient().experimentItemRunId,
    ...item
  }: ExperimentItemInput): Promise<DatasetExperimentItem> => {
    // Together: a score that can't be would else leave an item without it behind.
    const variables = variablesFor(CreateExperimentItemDocument, {
      ...item,
      experimentRunId,
      scores: (scores ?? []).map((score) => ({ ...score, datasetExperimentItemId: null })),
    })
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
  const deleteExperiment = async (id: string): Promise<string | null> =>
    (await call(DeleteExperimentDocument, { id })).deleteDatasetExperiment?.id ?? null

  return {
    /** Lists experiments with their scores summed up, the newest first. */
    getExperiments,
    /** Lists experiments; `getExperiments` in the other spelling. */
    get_experiments: createSnakeList(getExperiments, 'DatasetExperiment'),

    /** Lists the results of an experiment, the oldest first. Throws `NOT_FOUND`. */
    getExperimentItems,
    /** Lists the results of an experiment; `getExperimentItems` in the other spelling. */
    get_experiment_items: createSnakeList(getExperimentItems, 'DatasetExperimentItem'),

    /** Deletes an experiment with its results and their scores; the runs stay. Resolves to its id, or to null. */
    deleteExperiment,
    /** Deletes an experiment; `deleteExperiment` in the other spelling. */
    delete_experiment: (experiment: IdParam): Promise<string | null> =>
      deleteExperiment(idOf(experiment)),

    /** Creates an experiment. */
    createExperiment,
    /** Creates an experiment; `createExperiment` in the other spelling. */
    create_experiment: async (
      params: Snake<CreateExperimentParams>,
    ): Promise<Snake<DatasetExperiment>> =>
      toSnake(
        await createExperiment(camelKeys<CreateExperimentParams>(params)),
        'DatasetExperiment',
      ),

    /** Adds a result to an experiment and gives it the scores; resolves to the item with the scores that were created. */
    createExperimentItem,
    /** Adds a result to an experiment; `createExperimentItem` in the other spelling. */
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
