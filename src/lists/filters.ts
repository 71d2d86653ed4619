import type {
  GenerationsFields,
  ParticipantsFields,
  ScoresFields,
  StepsFields,
  ThreadsFields,
} from '../../generated/filters.js'

/** What a field holds, as the schema says it. */
interface Held {
  kind: 'STRING' | 'JSON' | 'NUMBER' | 'INSTANT' | 'LIST'
  isNullable: boolean
  path?: string
  /** The values that it can have, where they are known. */
  value?: string
}

type ValueOf<Field extends Held> = Field extends { value: infer Value extends string }
  ? Value
  : string

/** What compares with a value of a field. */
type Comparison<Field extends Held> = {
  STRING:
    | { operator: 'eq' | 'neq'; value: ValueOf<Field> }
    | { operator: 'ilike' | 'nilike'; value: string }
  JSON:
    | { operator: 'eq' | 'neq'; value: string | number | boolean }
    | { operator: 'ilike' | 'nilike'; value: string }
  NUMBER: { operator: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'; value: number }
  INSTANT: { operator: 'gt' | 'gte' | 'lt' | 'lte'; value: Date | string }
  LIST: { operator: 'in' | 'nin'; value: readonly ValueOf<Field>[] }
}[Field['kind']]

/** Has no value, has one. */
type Presence<Field extends Held> = Field['isNullable'] extends true
  ? { operator: 'is' | 'nis'; value: null }
  : never

type Path<Field extends Held> = Field extends { path: string } ? { path?: string } : unknown

type FilterOf<Fields> = {
  [Name in keyof Fields & string]: Fields[Name] extends Held
    ? { field: Name } & (Comparison<Fields[Name]> | Presence<Fields[Name]>) & Path<Fields[Name]>
    : never
}[keyof Fields & string]

/** A condition on steps; all conditions of a list must hold. `neq`, `nilike` and `nin` also hold where there is no value. */
export type StepsFilter = FilterOf<StepsFields>

/** A condition on threads. Those on `stepType`, `stepName`, `stepOutput` and `scoreValue` hold when one step's does. */
export type ThreadsFilter = FilterOf<ThreadsFields>

/** A condition on generations. `promptLineage` is a prompt's name, `participant` lists identifiers. */
export type GenerationsFilter = FilterOf<GenerationsFields>

/** A condition on scores. `participant` lists identifiers of users. */
export type ScoresFilter = FilterOf<ScoresFields>

/** A condition on users. */
export type UsersFilter = FilterOf<ParticipantsFields>

/** An order of a list; without one the newest comes first. Items without a value come last in `DESC`, first in `ASC`. */
export interface OrderBy<Column extends string> {
  column: Column
  direction: 'ASC' | 'DESC'
}
