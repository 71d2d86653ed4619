import { GraphQLError, type GraphQLScalarType, valueFromASTUntyped } from 'graphql'
import { isTooDeep, MAX_DEPTH } from '../../kernel/depth.js'
import { parseInstant, showInstant } from '../../kernel/instant.js'

/** Rejects values that nest too deep, which the database's JSON parser, for one, could not read. */
const checkDepth = <Value>(value: Value): Value => {
  if (isTooDeep(value))
    throw new GraphQLError(`expected JSON nested at most ${MAX_DEPTH} levels deep`)
  return value
}

export const Json = {
  parseValue: (value: unknown) => checkDepth(value),
  parseLiteral: ((node, variables) =>
    checkDepth(valueFromASTUntyped(node, variables))) as GraphQLScalarType['parseLiteral'],
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
