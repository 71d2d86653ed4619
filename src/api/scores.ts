import type { ScoresColumn } from '../../generated/filters.js'
import {
  CreateScoresDocument,
  DeleteScoreDefinitionDocument,
  DeleteScoreDocument,
  GetScoreDefinitionsDocument,
  GetScoresDocument,
  type ScoreDefinitionFieldsFragment,
  type ScoreFieldsFragment,
  type ScoreSummaryFieldsFragment,
  SetScoreDefinitionDocument,
  type SetScoreDefinitionMutationVariables,
  UpdateScoreDocument,
  type UpdateScoreMutationVariables,
} from '../../generated/operations.js'
import type {
  Score as SchemaScore,
  ScoreInput as SchemaScoreInput,
  ScoreDirection,
  ScoreKind,
  ScoreLabelInput,
} from '../../generated/schema.js'
import { StepwellError } from '../errors.js'
import type { OrderBy, ScoresFilter } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { type ScoreValue, wireScore } from '../values/scores.js'
import { type IdParam, idOf } from './calls/raw.js'

/** A score as the service returns it. */
export type Score = Pick<SchemaScore, keyof ScoreFieldsFragment>

/**
 * A score that was just given. `isStepMissing` tells that no step has the id that it names, so far or ever;
 * `isThreadMissing` the same of its thread.
 */
export type CreatedScore = Score & Pick<SchemaScore, 'isStepMissing' | 'isThreadMissing'>

/** A score to give; one of `stepId`, `threadId` and `datasetExperimentItemId` must be there. */
export type ScoreInput = Omit<SchemaScoreInput, 'generationId' | 'value'> & {
  /**
   * The judgement: a finite number, true or false, or a label of the score's definition. True and false are stored as 1
   * and 0, with a label.
   */
  value: ScoreValue
  /**
   * The generation judged, by the id of its step.
   *
   * @deprecated A generation has its step's id: use `stepId`.
   */
  generationId?: string | null | undefined
}

export interface GetScoresParams extends PageParams {
  /** Conditions that must all hold. When omitted, all scores pass. */
  filters?: ScoresFilter[] | undefined
  /** Conditions as text, such as `name=quality value<0.5`, which must hold beside `filters`. */
  query?: string | undefined
  /** The order of the list. Default: the newest first. */
  orderBy?: OrderBy<ScoresColumn> | undefined
}

export interface ScoreUpdate extends Omit<UpdateScoreMutationVariables, 'id' | 'value'> {
  /**
   * The new judgement: a finite number, true or false, or a label of the score's definition. Absent keeps what is there,
   * unless `label` is one of the definition's.
   */
  value?: ScoreValue | null | undefined
  /** The new value in words; absent keeps what is there, null clears it. */
  label?: string | null | undefined
  /** Why; absent keeps what is there, null clears it. */
  comment?: string | null | undefined
}

/** The meaning of the scores of a name. */
export type ScoreDefinition = ScoreDefinitionFieldsFragment
/** Scores of one name, summed up. */
export type ScoreSummary = ScoreSummaryFieldsFragment

export interface ScoreDefinitionInput extends SetScoreDefinitionMutationVariables {
  name: string
  description?: string | null | undefined
  min?: number | null | undefined
  max?: number | null | undefined
  /** The values to choose from, each with a word. Those of `BOOLEAN` are known. */
  labels?: ScoreLabelInput[] | null | undefined
  /** The direction of better values. Default: `HIGHER`. */
  better?: ScoreDirection | null | undefined
  /** The kind of the values. Default: `CATEGORY` with labels, `NUMBER` without. */
  kind?: ScoreKind | null | undefined
  /** True rejects scores that do not fit from now on. Default: false. */
  isEnforced?: boolean | null | undefined
}

export const scoresApi = ({ call }: Transport) => {
  const getScores = createList(async (params: GetScoresParams) =>
    toPage<Score>((await call(GetScoresDocument, params)).scores),
  )
  const createScores = async (scores: readonly ScoreInput[]): Promise<CreatedScore[]> =>
    scores.length === 0
      ? []
      : (await call(CreateScoresDocument, { scores: scores.map(wireScore) })).createScores.scores
  const createScore = async (score: ScoreInput): Promise<CreatedScore> => {
    try {
      return (await createScores([score]))[0] as CreatedScore
    } catch (error) {
      // Its caller gave no list.
      if (StepwellError.is(error)) error.message = error.message.replaceAll('scores[0].', '')
      throw error
    }
  }
  const updateScore = async (id: string, update: ScoreUpdate): Promise<Score> =>
    (await call(UpdateScoreDocument, { ...wireScore(update), id })).updateScore as Score
  const deleteScore = async (id: string): Promise<string | null> =>
    (await call(DeleteScoreDocument, { id })).deleteScore?.id ?? null

  const getScoreDefinitions = async (): Promise<ScoreDefinition[]> =>
    (await call(GetScoreDefinitionsDocument, {})).scoreDefinitions
  const setScoreDefinition = async (definition: ScoreDefinitionInput): Promise<ScoreDefinition> =>
    (await call(SetScoreDefinitionDocument, definition)).setScoreDefinition
  const deleteScoreDefinition = async (name: string): Promise<string | null> =>
    (await call(DeleteScoreDefinitionDocument, { name })).deleteScoreDefinition?.id ?? null

  return {
    /**
     * Lists scores, the newest first. `getScores.all()` walks over all of them.
     *
     * @returns a page; an empty one when no score passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * for await (const score of stepwell.api.getScores.all({ filters: [{ field: 'name', operator: 'eq', value: 'quality' }] }))
     *   console.log(score.value, score.comment)
     */
    getScores,
    /**
     * Lists scores; `getScores` in the other spelling.
     *
     * @returns a page; an empty one when no score passes the filters.
     * @throws `INVALID_ARGUMENT` when a filter, an order, a cursor or a size is invalid.
     * @throws `TOO_LARGE` when nothing passes the filters among the rows that a search reads at most.
     * @scope `read`
     * @example
     * const { data } = await stepwell.api.get_scores({ first: 20 })
     * console.log(data.map(({ step_id }) => step_id))
     */
    get_scores: createSnakeList(getScores, 'Score'),

    /**
     * Creates scores in one request: all of them, or none when one is invalid.
     *
     * @returns the scores in the order in which they were given; an empty list sends nothing.
     * @throws `INVALID_ARGUMENT` when a value is not finite or does not fit an enforced definition, or when the score
     *   judges nothing: none of `stepId`, `threadId` and `datasetExperimentItemId` is given.
     * @throws `NOT_FOUND` when no item of an experiment has the `datasetExperimentItemId`.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.createScores([
     *   { stepId, name: 'quality', type: 'HUMAN', value: 1 },
     *   { threadId, name: 'resolved', type: 'HUMAN', value: true },
     * ])
     */
    createScores,
    /**
     * Creates scores; `createScores` in the other spelling. Takes the list bare or as `scores`.
     *
     * @returns the scores in the order in which they were given; an empty list sends nothing.
     * @throws `INVALID_ARGUMENT` when a value is not finite or does not fit an enforced definition, or when the score
     *   judges nothing: none of `step_id`, `thread_id` and `dataset_experiment_item_id` is given.
     * @throws `NOT_FOUND` when no item of an experiment has the `dataset_experiment_item_id`.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.create_scores([{ step_id: stepId, name: 'quality', type: 'HUMAN', value: 1 }])
     */
    create_scores: async (
      params:
        | readonly Snake<ScoreInput>[]
        | {
            /** The scores to create. */
            scores: readonly Snake<ScoreInput>[]
          },
    ): Promise<Snake<CreatedScore>[]> => {
      const scores = 'scores' in params ? params.scores : params
      const created = await createScores(
        scores.map((score) => toCamel<ScoreInput>(score, 'ScoreInput')),
      )
      return toSnake(created, 'Score')
    },

    /**
     * Creates a score of a step, of a thread, or of an item of an experiment. The step or thread may arrive later.
     *
     * @returns the score. `isStepMissing` and `isThreadMissing` tell that nothing has the id yet.
     * @throws `INVALID_ARGUMENT` when a value is not finite or does not fit an enforced definition, or when the score
     *   judges nothing: none of `stepId`, `threadId` and `datasetExperimentItemId` is given.
     * @throws `NOT_FOUND` when no item of an experiment has the `datasetExperimentItemId`.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * const score = await stepwell.api.createScore({ stepId, name: 'quality', type: 'HUMAN', value: 1, comment: 'Polite.' })
     * console.log(score.id, score.isStepMissing)
     */
    createScore,
    /**
     * Creates a score; `createScore` in the other spelling.
     *
     * @returns the score. `is_step_missing` and `is_thread_missing` tell that nothing has the id yet.
     * @throws `INVALID_ARGUMENT` when a value is not finite or does not fit an enforced definition, or when the score
     *   judges nothing: none of `step_id`, `thread_id` and `dataset_experiment_item_id` is given.
     * @throws `NOT_FOUND` when no item of an experiment has the `dataset_experiment_item_id`.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * const score = await stepwell.api.create_score({ step_id: stepId, name: 'quality', type: 'HUMAN', value: 1 })
     * console.log(score.is_step_missing)
     */
    create_score: async (score: Snake<ScoreInput>): Promise<Snake<CreatedScore>> =>
      toSnake(await createScore(toCamel<ScoreInput>(score, 'ScoreInput')), 'Score'),

    /**
     * Changes a score.
     *
     * @returns the score as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the value is not finite or does not fit an enforced
     *   definition.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.updateScore(scoreId, { value: 0.5, comment: 'Polite, and wrong.' })
     */
    updateScore,
    /**
     * Changes a score; `updateScore` in the other spelling. The changes may also come as `update_params`.
     *
     * @returns the score as it is stored now.
     * @throws `INVALID_ARGUMENT` when the id is empty, or when the value is not finite or does not fit an enforced
     *   definition.
     * @throws `NOT_FOUND` when nothing has this id.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.update_score({ id: scoreId, update_params: { value: 0.5 } })
     */
    update_score: async (
      params: {
        /** The score's id. */
        id: string
      } & (
        | Snake<ScoreUpdate>
        | {
            /** The changes, which may also stand beside the id. */
            update_params: Snake<ScoreUpdate>
          }
      ),
    ): Promise<Snake<Score>> => {
      const update = ('update_params' in params && params.update_params) || params
      return toSnake(
        await updateScore(params.id, camelKeys<ScoreUpdate>(update as Snake<ScoreUpdate>)),
        'Score',
      )
    },

    /**
     * Deletes a score.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * const deleted = await stepwell.api.deleteScore(scoreId)
     * if (deleted === null) console.log('there was no such score')
     */
    deleteScore,
    /**
     * Deletes a score; `deleteScore` in the other spelling.
     *
     * @returns the id; null when nothing has it.
     * @throws `INVALID_ARGUMENT` when the id is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_score({ id: scoreId })
     */
    delete_score: (score: IdParam): Promise<string | null> => deleteScore(idOf(score)),

    /**
     * Lists the definitions that were set for scores.
     *
     * @returns the definitions, by name; an empty list when none was set.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, min, max } of await stepwell.api.getScoreDefinitions()) console.log(name, min, max)
     */
    getScoreDefinitions,
    /**
     * Lists the meanings of scores; `getScoreDefinitions` in the other spelling.
     *
     * @returns the definitions, by name; an empty list when none was set.
     * @throws `UNAUTHENTICATED` when the service does not know the key, as every call does.
     * @scope `read`
     * @example
     * for (const { name, better } of await stepwell.api.get_score_definitions()) console.log(name, better)
     */
    get_score_definitions: async (): Promise<Snake<ScoreDefinition>[]> =>
      toSnake(await getScoreDefinitions(), 'ScoreDefinition'),

    /**
     * Sets the definition of the scores of a name, in place of an earlier one. With `isEnforced`, scores that do not fit
     * are rejected from now on; stored ones stay.
     *
     * @returns the definition as it is stored now.
     * @throws `INVALID_ARGUMENT` when the name is empty, `min` is not below `max`, two labels have one value, or the kind
     *   does not allow a part.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.setScoreDefinition({
     *   name: 'tone',
     *   kind: 'CATEGORY',
     *   labels: [{ value: 0, label: 'rude' }, { value: 1, label: 'polite' }],
     *   isEnforced: true,
     * })
     */
    setScoreDefinition,
    /**
     * Sets the meaning of the scores of a name; `setScoreDefinition` in the other spelling.
     *
     * @returns the definition as it is stored now.
     * @throws `INVALID_ARGUMENT` when the name is empty, `min` is not below `max`, two labels have one value, or the kind
     *   does not allow a part.
     * @throws `TOO_LARGE` when a text is larger than 1 MB.
     * @scope `write`
     * @example
     * await stepwell.api.set_score_definition({ name: 'resolved', kind: 'BOOLEAN', is_enforced: true })
     */
    set_score_definition: async (
      definition: Snake<ScoreDefinitionInput>,
    ): Promise<Snake<ScoreDefinition>> =>
      toSnake(
        await setScoreDefinition(camelKeys<ScoreDefinitionInput>(definition)),
        'ScoreDefinition',
      ),

    /**
     * Deletes the definition of a name's scores. The scores stay.
     *
     * @returns the name; null when no definition was set for it.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `write`
     * @example
     * await stepwell.api.deleteScoreDefinition('quality')
     */
    deleteScoreDefinition,
    /**
     * Deletes the meaning of a name's scores; `deleteScoreDefinition` in the other spelling.
     *
     * @returns the name; null when no definition was set for it.
     * @throws `INVALID_ARGUMENT` when the name is empty.
     * @scope `write`
     * @example
     * await stepwell.api.delete_score_definition({ name: 'quality' })
     */
    delete_score_definition: (params: {
      /** The name of the scores. */
      name: string
    }): Promise<string | null> => deleteScoreDefinition(params.name),
  }
}
