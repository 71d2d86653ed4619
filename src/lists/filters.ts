import type {
  AuditEntriesFields,
  GenerationsFields,
  ParticipantsFields,
  ScoresFields,
  StepsFields,
  ThreadsFields,
} from '../../generated/filters.js'

/** The type of a field's values, from the schema. */
interface Held {
  kind: 'STRING' | 'JSON' | 'NUMBER' | 'INSTANT' | 'LIST'
  isNullable: boolean
  path?: string
  /** Its possible values, if they are known. */
  value?: string
}

type ValueOf<Field extends Held> = Field extends { value: infer Value extends string }
  ? Value
  : string

interface Compared<Operator extends string, Value> {
  /**
   * The comparison. `eq` and `neq` compare the whole value, `ilike` and `nilike` look for a text in it in either case of
   * letters, `gt`, `gte`, `lt` and `lte` compare numbers and timestamps. `in` and `nin` ask for one value in common, or
   * none; `ilike` looks for the text in each. `is` and `nis` with null ask for no value, or any.
   */
  operator: Operator
  /** The value to compare with. Timestamps are ISO 8601. */
  value: Value
}

/** A comparison with a value of a field. */
type Comparison<Field extends Held> = {
  STRING: Compared<'eq' | 'neq', ValueOf<Field>> | Compared<'ilike' | 'nilike', string>
  JSON: Compared<'eq' | 'neq', string | number | boolean> | Compared<'ilike' | 'nilike', string>
  NUMBER: Compared<'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte', number>
  INSTANT: Compared<'gt' | 'gte' | 'lt' | 'lte', Date | string>
  LIST: Compared<'in' | 'nin', readonly ValueOf<Field>[]> | Compared<'ilike' | 'nilike', string>
}[Field['kind']]

/** Tests if the field has a value. */
type Presence<Field extends Held> = Field['isNullable'] extends true
  ? Compared<'is' | 'nis', null>
  : never

interface Compares<Name extends string> {
  /** The name of the field to compare. */
  field: Name
}

interface At {
  /**
   * The part of the field to compare: in JSON the keys to a value, with dots between them; in scores the name of the
   * score. When omitted, the whole value or any score counts.
   */
  path?: string
}

type Path<Field extends Held> = Field extends { path: string } ? At : unknown

type FilterOf<Fields> = {
  [Name in keyof Fields & string]: Fields[Name] extends Held
    ? Compares<Name> & (Comparison<Fields[Name]> | Presence<Fields[Name]>) & Path<Fields[Name]>
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

/** A condition on entries of the audit log. */
export type AuditEntriesFilter = FilterOf<AuditEntriesFields>

/** A condition on users. */
export type UsersFilter = FilterOf<ParticipantsFields>

/** An order of a list; without one the newest comes first. Items without a value come last in `DESC`, first in `ASC`. */
export interface OrderBy<Column extends string> {
  /** The column to order by. */
  column: Column
  /** `ASC` puts the smallest or oldest first, `DESC` the largest or newest. */
  direction: 'ASC' | 'DESC'
}
