import { GraphQLError, type GraphQLScalarType, valueFromASTUntyped } from 'graphql'
import { parseInstant, showInstant } from '../../kernel/instant.js'
import { whyNotStored } from '../../kernel/storable.js'

const checked = <Value>(value: Value): Value => {
  const reason = whyNotStored(value)
  if (reason !== undefined) throw new GraphQLError(reason)
  return value
}

export const Json = {
  parseValue: (value: unknown) => checked(value),
  parseLiteral: ((node, variables) =>
    checked(valueFromASTUntyped(node, variables))) as GraphQLScalarType['parseLiteral'],
  serialize: (value: unknown) => value,
}

const readMoment = (value: unknown) => {
  try {
    return parseInstant('DateTime', value)
  } catch (error) {
    throw new GraphQLError((error as Error).message)
  }
}

export const DateTime = {
  parseValue: readMoment,
  parseLiteral: ((node) =>
    readMoment('value' in node ? node.value : undefined)) as GraphQLScalarType['parseLiteral'],
  serialize: (value: unknown) => showInstant(String(value)),
}

/** GraphQL's Int ends at 2^31, a sum of tokens may exceed that. */
export const int = (sum: number | null | undefined) =>
  sum == null ? null : Math.max(-(2 ** 31), Math.min(sum, 2 ** 31 - 1))
