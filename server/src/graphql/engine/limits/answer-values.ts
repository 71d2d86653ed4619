import { GraphQLError, getNamedType, getNullableType, isListType, isObjectType } from 'graphql'
import { type Asked, type Executed, visitExecuted } from './executed.js'

/**
 * Limit of the values that an answer may have, by the rows that a document asks for: the largest pages of released clients
 * take a fifth of it. graphql-js completes them all before anybody else has a turn.
 */
const MAX_VALUES = 500_000
/** Rows of a page without a size, and of the largest one. */
const USUAL_ROWS = 20
const MAX_ROWS = 1000
/** Fields that read whole threads or ranges of time, and how many of them an operation may have together. */
const EXPENSIVE = new Set([
  'Query.metrics',
  'Query.facets',
  'Query.outline',
  'Outline.skeleton',
  'Outline.changes',
  'Outline.matches',
])
const MAX_EXPENSIVE = 12

/**
 * Rejects a query with too many expensive fields, or whose pages, series and lists of ids have too many rows for its
 * fields. Lists without a size, such as the scores of a step, count once, as nothing tells how long they are.
 */
export const asksTooMuch = (asked: Asked): GraphQLError | undefined => {
  let values = 0
  let expensive = 0
  let tooExpensive: string | undefined
  visitExecuted(asked, 1, (executed, rows) => {
    const { node, type } = executed
    const name = node.name.value
    if (EXPENSIVE.has(`${type?.name}.${name}`) && ++expensive > MAX_EXPENSIVE) tooExpensive = name
    values += rows
    if (values > MAX_VALUES || tooExpensive !== undefined) return undefined
    return node.selectionSet === undefined ? undefined : rows * rowsOf(executed)
  })
  if (tooExpensive !== undefined)
    return new GraphQLError(
      `${tooExpensive}: expected such fields at most ${MAX_EXPENSIVE} times in a document`,
    )
  return values <= MAX_VALUES
    ? undefined
    : new GraphQLError(
        `the document asks for more than ${MAX_VALUES.toLocaleString('en')} values, by its fields and the sizes of its pages; ask for fewer fields or smaller pages`,
      )
}

/** Returns the rows that a field has at most, by its arguments; 1 where they don't tell. */
const rowsOf = ({ field, argument }: Executed): number => {
  if (field === undefined) return 1
  const ids = argument('ids')
  const isList = isListType(getNullableType(field.type))
  if (isList && Array.isArray(ids)) return ids.length
  const named = getNamedType(field.type)
  const isPaged = isList || (isObjectType(named) && 'edges' in named.getFields())
  const hasSize = isPaged && field.args.some(({ name }) => name === 'first')
  const size = hasSize ? (argument('first') ?? argument('last') ?? USUAL_ROWS) : argument('buckets')
  // Other sizes have errors of their own.
  return typeof size === 'number' ? Math.max(0, Math.min(size, MAX_ROWS)) : 1
}
