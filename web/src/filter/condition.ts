import type { FacetField } from '../../../generated/schema.js'

/**
 * The language of filters: conditions that must all hold, separated by spaces, each `field operator value`, for example
 * `name~refund user:ada,bob tags!:test duration>30 output[content]~"lost bag" score[quality]<0.5 error:none`. Words
 * without an operator look inside what steps gave out. A minus before one turns it round: `-error:any -lost`. Each condition
 * is one filter of the contract.
 */
export type Kind = 'string' | 'number' | 'instant' | 'json' | 'list'

export type Sign = '=' | '!=' | '~' | '!~' | ':' | '!:' | '>' | '>=' | '<' | '<='

export interface Field {
  /** What it is called in the language. */
  name: string
  /** What it is for. */
  title: string
  kind: Kind
  /** Whether it can be said to have none. */
  isNullable: boolean
  /** Whether it takes a path: the key inside JSON, or the name of a score. */
  hasPath?: boolean
  /** The filter of the contract; where it is not the plain one, `toFilter` makes it. */
  filter: string
  toFilter?: (condition: Condition) => Filter | undefined
  /** The values that there are, where they are few and known. */
  values?: readonly string[]
  /** Where the values that occur can be asked for. */
  facet?: FacetField
}

export interface Condition {
  field: Field
  path: string | undefined
  sign: Sign
  /** Several for `:` and `!:`; null says that it has none, with `!:` that it has one. */
  values: readonly string[] | null
}

export interface Filter {
  field: string
  operator: string
  value: unknown
  path?: string
}

export const BY_KIND: Record<Kind, readonly Sign[]> = {
  string: ['=', '!=', '~', '!~', ':', '!:'],
  json: ['=', '!=', '~', '!~', ':', '!:'],
  number: ['=', '!=', '>', '>=', '<', '<=', ':', '!:'],
  instant: ['>', '>=', '<', '<=', ':', '!:'],
  list: [':', '!:', '=', '!='],
}

export const signsOf = (field: Field): readonly Sign[] =>
  BY_KIND[field.kind].filter(
    (sign) => (sign !== ':' && sign !== '!:') || field.kind === 'list' || field.isNullable,
  )
