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
} from '../../generated/schema.js'
import type { OrderBy, ScoresFilter } from '../lists/filters.js'
import { createList, createSnakeList, type PageParams, toPage } from '../lists/pagination.js'
import { camelKeys, type Snake, toCamel, toSnake } from '../spelling.js'
import type { Transport } from '../transport/transport.js'
import { variablesFor } from '../transport/variables.js'
import { type IdParam, idOf } from './calls/raw.js'

/** A score as the service returns it. */
export type Score = Pick<SchemaScore, keyof ScoreFieldsFragment>

/** A score that was just given. `isStepMissing` tells that no step has the id that it names, so far or ever. */
export type CreatedScore = Score & Pick<SchemaScore, 'isStepMissing'>

/** A score to give; one of `stepId` and `datasetExperimentItemId` must be there. */
export type ScoreInput = Omit<SchemaScoreInput, 'generationId'> & {
  /** @deprecated A generation has its step's id: use `stepId`. */
  generationId?: string | null | undefined
}

export interface GetScoresParams extends PageParams {
  filters?: ScoresFilter[] | undefined
  orderBy?: OrderBy<ScoresColumn> | undefined
}

export interface ScoreUpdate extends Omit<UpdateScoreMutationVariables, 'id'> {
  /** The new judgement; finite. */
  value: number
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
  /** The values to choose from, each with a word. */
  labels?: { value: number; label: string }[] | null | undefined
  /** Which values are good: `HIGHER` when absent. */
  better?: ScoreDirection | null | undefined
}

export const scoresApi = ({ call }: Transport) => {
  const getScores = createList(async (params: GetScoresParams) =>
    toPage<Score>((await call(GetScoresDocument, params)).scores),
  )
  const createScores = async (scores: readonly ScoreInput[]): Promise<CreatedScore[]> =>
    scores.length === 0
      ? []
      : (await call(CreateScoresDocument, { scores: [...scores] })).createScores.scores
  const createScore = async (score: ScoreInput): Promise<CreatedScore> =>
    (await createScores([score]))[0] as CreatedScore
  const updateScore = async (id: string, update: ScoreUpdate): Promise<Score> =>
    (await call(UpdateScoreDocument, variablesFor(UpdateScoreDocument, { ...update, id })))
      .updateScore as Score
  const deleteScore = async (id: string): Promise<string | null> =>
    (await call(DeleteScoreDocument, { id })).deleteScore?.id ?? null

  const getScoreDefinitions = async (): Promise<ScoreDefinition[]> =>
    (await call(GetScoreDefinitionsDocument, {})).scoreDefinitions
  const setScoreDefinition = async (definition: ScoreDefinitionInput): Promise<ScoreDefinition> =>
    (await call(SetScoreDefinitionDocument, variablesFor(SetScoreDefinitionDocument, definition)))
      .setScoreDefinition
  const deleteScoreDefinition = async (name: string): Promise<string | null> =>
    (await call(DeleteScoreDefinitionDocument, { name })).deleteScoreDefinition?.id ?? null

  return {
    /**
     * Lists scores, the newest first.
     *
     * @example
     * for await (const score of stepwell.api.getScores.all({ filters: [{ field: 'name', operator: 'eq', value: 'quality' }] }))
     *   console.log(score.value, score.comment)
     */
    getScores,
    /** Lists scores; `getScores` in the other spelling. */
    get_scores: createSnakeList(getScores, 'Score'),

    /**
     * Creates scores in one request: all of them, or none when one can't be. An empty list sends nothing.
     *
     * @returns The scores in the order in which they were given.
     */
    createScores,
    /** Creates scores; `createScores` in the other spelling. Takes the list bare or as `scores`. */
    create_scores: async (
      params: readonly Snake<ScoreInput>[] | { scores: readonly Snake<ScoreInput>[] },
    ): Promise<Snake<CreatedScore>[]> => {
      const scores = 'scores' in params ? params.scores : params
      const created = await createScores(
        scores.map((score) => toCamel<ScoreInput>(score, 'ScoreInput')),
      )
      return toSnake(created, 'Score')
    },

    /**
     * Creates a score of a step or of an experiment's item. The step may arrive later: `isStepMissing` tells that no step
     * has its id yet.
     */
    createScore,
    /** Creates a score; `createScore` in the other spelling. */
    create_score: async (score: Snake<ScoreInput>): Promise<Snake<CreatedScore>> =>
      toSnake(await createScore(toCamel<ScoreInput>(score, 'ScoreInput')), 'Score'),

    /** Changes a score; throws `NOT_FOUND` when nothing has this id. */
    updateScore,
    /** Changes a score; `updateScore` in the other spelling. The changes may also come as `update_params`. */
    update_score: async (
      params: { id: string } & (Snake<ScoreUpdate> | { update_params: Snake<ScoreUpdate> }),
    ): Promise<Snake<Score>> => {
      const update = 'update_params' in params ? params.update_params : params
      return toSnake(await updateScore(params.id, camelKeys<ScoreUpdate>(update)), 'Score')
    },

    /** Deletes a score. Resolves to its id, or to null when no score had it. */
    deleteScore,
    /** Deletes a score; `deleteScore` in the other spelling. */
    delete_score: (score: IdParam): Promise<string | null> => deleteScore(idOf(score)),

    /** Lists the meanings that were set for scores, by name. */
    getScoreDefinitions,
    /** Lists the meanings of scores; `getScoreDefinitions` in the other spelling. */
    get_score_definitions: async (): Promise<Snake<ScoreDefinition>[]> =>
      toSnake(await getScoreDefinitions(), 'ScoreDefinition'),

    /** Sets the meaning of the scores of a name, in place of an earlier one. Scores are not held to it. */
    setScoreDefinition,
    /** Sets the meaning of the scores of a name; `setScoreDefinition` in the other spelling. */
    set_score_definition: async (
      definition: Snake<ScoreDefinitionInput>,
    ): Promise<Snake<ScoreDefinition>> =>
      toSnake(
        await setScoreDefinition(camelKeys<ScoreDefinitionInput>(definition)),
        'ScoreDefinition',
      ),

    /** Deletes the meaning of a name's scores, which stay. Resolves to the name, or to null when there was none. */
    deleteScoreDefinition,
    /** Deletes the meaning of a name's scores; `deleteScoreDefinition` in the other spelling. */
    delete_score_definition: (params: { name: string }): Promise<string | null> =>
      deleteScoreDefinition(params.name),
  }
}
