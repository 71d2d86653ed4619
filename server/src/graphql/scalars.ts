import { GraphQLError, type GraphQLScalarType, valueFromASTUntyped } from 'graphql'
import { parseInstant, showInstant } from '../domain/instant.js'

/** Deeper than any payload of a model, and far from what recursive readers of JSON can't take. */
const DEEPEST = 500

/** Refuses values that nest too deep: the database's reader of JSON, among others, would not come back from them. */
const checkDepth = <Value>(value: Value, depth = 0): Value => {
  if (typeof value === 'object' && value !== null) {
    if (depth >= DEEPEST)
      throw new GraphQLError(`expected JSON nested at most ${DEEPEST} levels deep`)
    if (Array.isArray(value)) for (const item of value) checkDepth(item, depth + 1)
    else for (const key in value) checkDepth(value[key], depth + 1)
  }
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
