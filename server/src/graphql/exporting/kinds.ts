import { type GraphQLOutputType, getNamedType, getNullableType, isListType } from 'graphql'

/**
 * The values of a column: texts, lists of texts, moments as texts, numbers, or JSON of any form.
 */
export type ColumnKind = 'text' | 'texts' | 'moment' | 'integer' | 'number' | 'boolean' | 'json'

const KINDS: Readonly<Record<string, ColumnKind>> = {
  Json: 'json',
  DateTime: 'moment',
  Int: 'integer',
  Float: 'number',
  Boolean: 'boolean',
}

/** Returns the kind of the values of a field without fields of its own. Names of enumerations are texts. */
export const kindOf = (type: GraphQLOutputType): ColumnKind => {
  const { name } = getNamedType(type)
  const kind = Object.hasOwn(KINDS, name) ? (KINDS[name] as ColumnKind) : 'text'
  if (!isListType(getNullableType(type))) return kind
  return kind === 'text' ? 'texts' : 'json'
}
