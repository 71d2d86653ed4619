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
  UpdateScoreDocument,
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
import { type IdParam, idOf } from './raw.js'

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

export interface ScoreUpdate {
  /** The new judgement; finite. */
  value: number
  /** The new value in words; absent keeps what is there, null clears it. */
  label?: string | null | undefined
  /** Why; absent keeps what is there, null clears it. */
  comment?: string | null | undefined
}

/** What the scores of a name mean. */
export type ScoreDefinition = ScoreDefinitionFieldsFragment
/** Scores of one name, summed up. */
export type ScoreSummary = ScoreSummaryFieldsFragment

export interface ScoreDefinitionInput {
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
  const updateScore = async (id: string, { value, label, comment }: ScoreUpdate): Promise<Score> =>
    (await call(UpdateScoreDocument, { id, value, label, comment })).updateScore as Score
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
     * Gives scores in one request: all of them, or none when one can't be. An empty list sends nothing.
     *
     * @returns The scores in the order in which they were given.
     */
    createScores,
    /** Gives scores; `createScores` in the other spelling. Takes the list bare or as `scores`. */
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
     * Gives a score to a step or to an experiment's item. The step may arrive later: `isStepMissing` tells that no step
     * has its id yet.
     */
    createScore,
    /** Gives a score; `createScore` in the other spelling. */
    create_score: async (score: Snake<ScoreInput>): Promise<Snake<CreatedScore>> =>
      toSnake(await createScore(toCamel<ScoreInput>(score, 'ScoreInput')), 'Score'),

    /** Changes a score; throws `NOT_FOUND` when nothing has this id. */
    updateScore,
    /** Changes a score; `updateScore` in the other spelling. The changes may also come as `update_params`. */
    update_score: async (
      params: { id: string } & (ScoreUpdate | { update_params: ScoreUpdate }),
    ): Promise<Snake<Score>> =>
      toSnake(
        await updateScore(params.id, 'update_params' in params ? params.update_params : params),
        'Score',
      ),

    /** Deletes a score. Resolves to its id, or to null when no score had it. */
    deleteScore,
    /** Deletes a score; `deleteScore` in the other spelling. */
    delete_score: (score: IdParam): Promise<string | null> => deleteScore(idOf(score)),

    /** Lists what scores mean, by name: those for which somebody said it. */
    getScoreDefinitions,
    /** Lists what scores mean; `getScoreDefinitions` in the other spelling. */
    get_score_definitions: async (): Promise<Snake<ScoreDefinition>[]> =>
      toSnake(await getScoreDefinitions(), 'ScoreDefinition'),

    /** Says what the scores of a name mean, and replaces what was said before. Scores are not held to it. */
    setScoreDefinition,
    /** Says what the scores of a name mean; `setScoreDefinition` in the other spelling. */
    set_score_definition: async (
      definition: Snake<ScoreDefinitionInput>,
    ): Promise<Snake<ScoreDefinition>> =>
      toSnake(
        await setScoreDefinition(camelKeys<ScoreDefinitionInput>(definition)),
        'ScoreDefinition',
      ),

    /** Takes back what was said of a name's scores; they stay. Resolves to the name, or to null when nothing was. */
    deleteScoreDefinition,
    /** Takes back what was said of a name's scores; `deleteScoreDefinition` in the other spelling. */
    delete_score_definition: (params: { name: string }): Promise<string | null> =>
      deleteScoreDefinition(params.name),
  }
}
