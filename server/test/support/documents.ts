// Documents made from the schema: what is new in it is asked for by itself.
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
  /** The text that stands for every string. */
  text?: string
  /** Whether lists, optional arguments and optional members have something in them too. */
  isFull?: boolean
}

/** Some value that a type takes, as a document writes it. */
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

/** An argument, or a member of an input, with some value. An environment is one of a few names. */
const given = ({ name, type }: { name: string; type: GraphQLInputType }, sampling: Sampling) =>
  `${name}: ${name === 'environment' ? '"dev"' : sample(type, sampling)}`

/** Leaves out of a selection the fields for which it is true. */
export type Without = (type: string, field: string) => boolean

/** Everything that a type has, `depth` types deep. */
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

/** How a root field is asked. */
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
