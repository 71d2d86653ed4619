import { GraphQLError, type GraphQLScalarType, type ValueNode, valueFromASTUntyped } from 'graphql'
import { parseInstant, showInstant } from '../../kernel/instant.js'
import { whyNotStored } from '../../kernel/storable.js'

/** Refuses a value; of one in a document, `nodes` is its place. */
const refuse = (reason: string, nodes?: ValueNode): never => {
  throw new GraphQLError(reason, { nodes: nodes ?? null })
}

const checked = <Value>(value: Value, node?: ValueNode): Value => {
  const reason = whyNotStored(value)
  return reason === undefined ? value : refuse(reason, node)
}

export const Json = {
  parseValue: (value: unknown) => checked(value),
  parseLiteral: ((node, variables) =>
    checked(valueFromASTUntyped(node, variables), node)) as GraphQLScalarType['parseLiteral'],
  serialize: (value: unknown) => value,
}

const readMoment = (value: unknown, node?: ValueNode) => {
  try {
    return parseInstant('DateTime', value)
  } catch (error) {
    return refuse((error as Error).message, node)
  }
}

export const DateTime = {
  parseValue: (value: unknown) => readMoment(value),
  parseLiteral: ((node) =>
    readMoment(
      'value' in node ? node.value : undefined,
      node,
    )) as GraphQLScalarType['parseLiteral'],
  serialize: (value: unknown) => showInstant(String(value)),
}

/** GraphQL's Int ends at 2^31, a sum of tokens may exceed that. */
export const int = (sum: number | null | undefined) =>
  sum == null ? null : Math.max(-(2 ** 31), Math.min(sum, 2 ** 31 - 1))
