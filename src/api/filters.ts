/** A condition on a text: equal, not equal, contains, does not contain (whatever the case). */
type TextFilter<Field extends string> = {
  field: Field
  operator: 'eq' | 'neq' | 'ilike' | 'nilike'
  value: string
}
/** A condition on JSON, compared by its text: the value at a dotted path, or all of it. */
type JsonFilter<Field extends string> = {
  field: Field
  operator: 'eq' | 'neq' | 'ilike' | 'nilike'
  value: string
  path?: string
}
type NumberFilter<Field extends string> = {
  field: Field
  operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'
  value: number
}
/** A condition on a number of a score; `path` is the score's name. */
type ScoreFilter<Field extends string> = NumberFilter<Field> & { path?: string }
/** A condition on a moment, ISO 8601. */
type MomentFilter<Field extends string> = {
  field: Field
  operator: 'gt' | 'gte' | 'lt' | 'lte'
  value: string
}
/** A condition on a list: at least one in common, none in common. */
type ListFilter<Field extends string> = { field: Field; operator: 'in' | 'nin'; value: string[] }
/** Has no value, has one. */
type NullFilter<Field extends string> = { field: Field; operator: 'is' | 'nis'; value: null }

/** A condition on steps; all conditions of a list must hold. `neq`, `nilike` and `nin` also hold where there is no value. */
export type StepsFilter =
  | TextFilter<
      'id' | 'name' | 'parentId' | 'threadId' | 'rootRunId' | 'error' | 'type' | 'environment'
    >
  | JsonFilter<'input' | 'output' | 'metadata'>
  | MomentFilter<'startTime' | 'endTime' | 'createdAt'>
  | ListFilter<'tags' | 'participantIdentifiers'>
  | NullFilter<
      | 'name'
      | 'parentId'
      | 'threadId'
      | 'rootRunId'
      | 'error'
      | 'environment'
      | 'input'
      | 'output'
      | 'metadata'
      | 'startTime'
      | 'endTime'
      | 'tags'
      | 'participantIdentifiers'
    >

/** A condition on threads. Those on `stepType`, `stepName`, `stepOutput` and `scoreValue` hold when one step's does. */
export type ThreadsFilter =
  | TextFilter<'id' | 'name' | 'stepName' | 'participantId' | 'environment'>
  | JsonFilter<'metadata' | 'stepOutput'>
  | NumberFilter<'tokenCount' | 'duration'>
  | ScoreFilter<'scoreValue'>
  | MomentFilter<'createdAt'>
  | ListFilter<'stepType' | 'tags' | 'participantIdentifiers'>
  | NullFilter<
      | 'name'
      | 'stepName'
      | 'participantId'
      | 'environment'
      | 'metadata'
      | 'stepOutput'
      | 'tokenCount'
      | 'duration'
      | 'tags'
      | 'participantIdentifiers'
    >

/** A condition on generations. `promptLineage` is a prompt's name, `participant` lists identifiers. */
export type GenerationsFilter =
  | TextFilter<'id' | 'error' | 'model' | 'provider' | 'promptLineage' | 'type' | 'environment'>
  | NumberFilter<'promptVersion' | 'duration' | 'tokenCount'>
  | ScoreFilter<'score'>
  | MomentFilter<'createdAt'>
  | ListFilter<'tags' | 'participant'>
  | NullFilter<
      | 'error'
      | 'model'
      | 'provider'
      | 'promptLineage'
      | 'promptVersion'
      | 'duration'
      | 'tokenCount'
      | 'tags'
      | 'participant'
      | 'environment'
    >
  | (NullFilter<'score'> & { path?: string })

/** A condition on scores. `participant` lists identifiers of users. */
export type ScoresFilter =
  | TextFilter<'id' | 'name' | 'type' | 'comment' | 'label' | 'scorer' | 'stepId'>
  | NumberFilter<'value'>
  | MomentFilter<'createdAt'>
  | ListFilter<'participant' | 'tags'>
  | NullFilter<'comment' | 'label' | 'scorer' | 'stepId' | 'participant' | 'tags'>

/** A condition on users. */
export type UsersFilter =
  | TextFilter<'id'>
  | JsonFilter<'metadata'>
  | NumberFilter<'threadCount' | 'tokenCount'>
  | MomentFilter<'createdAt' | 'lastEngaged'>
  | ListFilter<'identifier'>
  | NullFilter<'metadata' | 'lastEngaged' | 'identifier'>

/** An order of a list; without one the newest comes first. Items without a value come last in `DESC`, first in `ASC`. */
export interface OrderBy<Column extends string> {
  column: Column
  direction: 'ASC' | 'DESC'
}
