/**
 * The language of filters: conditions separated by spaces, which must all hold, each `field operator value`, for example
 * `name~refund user:ada,bob tags!:test duration>30 output[content]~"lost bag" score[quality]<0.5 error:none`. `OR` and
 * brackets combine them; `any(…)` asks for one step that meets all of it. Words without an operator search a text. A
 * minus or `NOT` negates.
 */
export type Kind = 'string' | 'number' | 'instant' | 'json' | 'list'

export type Sign = '=' | '!=' | '~' | '!~' | ':' | '!:' | '>' | '>=' | '<' | '<='

export interface Field {
  /** The name in the language. */
  name: string
  kind: Kind
  /** True if it can be missing. */
  isNullable: boolean
  /** True if it takes a path: the key inside JSON, or the name of a score. */
  hasPath?: boolean
  /** The filter of the contract. */
  filter: string
  /** True if it is a number of things, so that none of them is 0. */
  isCount?: boolean
  /** The filter of the contract that looks for a text, where `filter` can't. */
  textFilter?: string
  /** The values, if they are few and known. */
  values?: readonly string[]
}

export interface Condition<Of extends Field = Field> {
  field: Of
  path: string | undefined
  sign: Sign
  /** Several for `:` and `!:`; null with `:` means missing, with `!:` present. */
  values: readonly string[] | null
}

/** Conditions that are combined. `some` holds when one row of the list below, such as a step, meets all of them. */
export interface Group<Of extends Field = Field> {
  join: 'and' | 'or' | 'not' | 'some'
  of: readonly Node<Of>[]
}

export type Node<Of extends Field = Field> = Condition<Of> | Group<Of>

export const isGroup = <Of extends Field>(node: Node<Of>): node is Group<Of> => 'join' in node

/** The fields of a list, those in which bare words search, and those of the rows that `any(…)` asks for. */
export interface Language<Of extends Field = Field> {
  fields: readonly Of[]
  words?: Of | undefined
  some?: { noun: string; language: Language<Of> } | undefined
}

const BY_KIND: Record<Kind, readonly Sign[]> = {
  string: ['=', '!=', '~', '!~', ':', '!:'],
  json: ['=', '!=', '~', '!~', ':', '!:'],
  number: ['=', '!=', '>', '>=', '<', '<=', ':', '!:'],
  instant: ['>', '>=', '<', '<=', ':', '!:'],
  list: [':', '!:', '~', '!~', '=', '!='],
}

/** Returns all signs that can be typed. */
export const readableSigns = ({ kind, textFilter }: Field): readonly Sign[] =>
  textFilter === undefined ? BY_KIND[kind] : [...BY_KIND[kind], '~', '!~']

/** Returns the signs that are offered: those that make sense for any value. */
export const signsOf = (field: Field): readonly Sign[] =>
  readableSigns(field).filter(
    (sign) => (sign !== ':' && sign !== '!:') || field.kind === 'list' || field.isNullable,
  )
