import type { FacetField } from '../../../generated/schema.js'

/**
 * The language of filters: conditions that must all hold, separated by spaces, each `field operator value`, for example
 * `name~refund user:ada,bob tags!:test duration>30 output[content]~"lost bag" score[quality]<0.5 error:none`. Words
 * without an operator search the output of steps. A minus before one negates it: `-error:any -lost`. Each condition
 * is one filter of the contract.
 */
export type Kind = 'string' | 'number' | 'instant' | 'json' | 'list'

export type Sign = '=' | '!=' | '~' | '!~' | ':' | '!:' | '>' | '>=' | '<' | '<='

export interface Field {
  /** The name in the language. */
  name: string
  /** The name in the builder. */
  title: string
  kind: Kind
  /** True if it can be missing. */
  isNullable: boolean
  /** True if it takes a path: the key inside JSON, or the name of a score. */
  hasPath?: boolean
  /** The filter of the contract; `toFilter` makes special ones. */
  filter: string
  toFilter?: (condition: Condition) => Filter | undefined
  /** The values, if they are few and known. */
  values?: readonly string[]
  /** The facet with the values that occur. */
  facet?: FacetField
}

export interface Condition {
  field: Field
  path: string | undefined
  sign: Sign
  /** Several for `:` and `!:`; null with `:` means missing, with `!:` present. */
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
