// Documents made from the schema, so that new parts of it are included automatically.
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isScalarType,
} from 'graphql'
import { typeDefs } from '../../generated/type-defs.js'

export const schema = buildSchema(typeDefs)

export interface Root {
  operation: 'query' | 'mutation'
  field: GraphQLField<unknown, unknown>
}

/** Every field at the root. */
export const roots: readonly Root[] = (['query', 'mutation'] as const).flatMap((operation) => {
  const type = operation === 'query' ? schema.getQueryType() : schema.getMutationType()
  return Object.values(type?.getFields() ?? {}).map((field) => ({ operation, field }))
})

export interface Sampling {
  /** The value of every string. */
  text?: string
  /** True to fill lists, optional arguments and optional members too. */
  isFull?: boolean
}

/** Returns some valid value of a type, as written in a document. */
const sample = (type: GraphQLInputType, sampling: Sampling = {}): string => {
  const { text = 'x', isFull = false } = sampling
  if (isNonNullType(type)) return sample(type.ofType, sampling)
  if (isListType(type)) return isFull ? `[${sample(type.ofType, sampling)}]` : '[]'
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues()[0]?.name ?? ''
  if (isInputObjectType(named))
    return `{ ${Object.values(named.getFields())
      .filter((field) => isFull || isNonNullType(field.type))
      .map((field) => given(field, sampling))
      .join(', ')} }`
  if (isScalarType(named) && named.name === 'Json') return '{ sent: 1 }'
  if (named.name === 'DateTime') return '"2026-01-01T00:00:00Z"'
  return named.name === 'Int' || named.name === 'Float'
    ? '1'
    : named.name === 'Boolean'
      ? 'true'
      : JSON.stringify(text)
}

/** Returns an argument, or a member of an input, with some value. An environment is one of a few names. */
const given = ({ name, type }: { name: string; type: GraphQLInputType }, sampling: Sampling) =>
  `${name}: ${name === 'environment' ? '"dev"' : sample(type, sampling)}`

/** Returns true for fields to leave out of a selection. */
export type Without = (type: string, field: string) => boolean

/** Selects every field of a type, `depth` types deep. */
export const selectionOf = (
  type: GraphQLOutputType,
  depth: number,
  without: Without = () => false,
): string => {
  const named = getNamedType(type)
  if (!isObjectType(named)) return ''
  const fields = Object.values(named.getFields())
    .filter(({ name }) => !without(named.name, name))
    .map((field) => {
      const required = field.args.filter(isRequiredArgument)
      const args =
        required.length === 0 ? '' : `(${required.map((arg) => given(arg, {})).join(', ')})`
      if (!isObjectType(getNamedType(field.type))) return `${field.name}${args}`
      return depth > 1
        ? `${field.name}${args} ${selectionOf(field.type, depth - 1, without)}`
        : undefined
    })
    .filter((text) => text !== undefined)
  return `{ ${['__typename', ...fields].join(' ')} }`
}

/** Returns a document that queries a root field. */
export const documentOf = (
  { operation, field }: Root,
  selection: string,
  sampling: Sampling = {},
): string => {
  const args = field.args
    .filter(({ type }) => sampling.isFull || isNonNullType(type))
    .map((arg) => given(arg, sampling))
  return `${operation} { ${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${selection} }`
}
