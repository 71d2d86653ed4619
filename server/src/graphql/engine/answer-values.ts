import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql'
import { fragmentsOf } from './fragments.js'

/**
 * Limit of the values that an answer may have, by the rows that a document asks for: the largest pages of released clients
 * take a fifth of it. graphql-js completes them all before anybody else has a turn.
 */
const MAX_VALUES = 500_000
/** Rows of a page without a size, and of the largest one. */
const USUAL_ROWS = 20
const MAX_ROWS = 1000

/**
 * Rejects a query whose pages, series and lists of ids have too many rows for its fields. Lists without a size, such as the
 * scores of a step, count once, as nothing tells how long they are.
 */
export const tooManyValues = (
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): GraphQLError | undefined => {
  const fragments = fragmentsOf(document)
  const given = { ...defaultsOf(operation), ...variables }
  let values = 0

  const walk = (
    { selections }: SelectionSetNode,
    type: GraphQLOutputType | undefined,
    rows: number,
  ) => {
    const named = type === undefined ? undefined : getNamedType(type)
    for (const selection of selections) {
      if (selection.kind !== 'Field') {
        const inner =
          selection.kind === 'InlineFragment' ? selection : fragments.get(selection.name.value)
        if (inner !== undefined) walk(inner.selectionSet, type, rows)
        continue
      }
      values += rows
      if (values > MAX_VALUES || selection.selectionSet === undefined) continue
      const field = isObjectType(named) ? named.getFields()[selection.name.value] : undefined
      walk(selection.selectionSet, field?.type, rows * rowsOf(selection, field, given))
    }
  }

  walk(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined, 1)
  return values <= MAX_VALUES
    ? undefined
    : new GraphQLError(
        `the document asks for more than ${MAX_VALUES.toLocaleString('en')} values, by its fields and the sizes of its pages; ask for fewer fields or smaller pages`,
      )
}

const defaultsOf = ({ variableDefinitions = [] }: OperationDefinitionNode) =>
  Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  )

/** Returns the rows that a field has at most, by its arguments; 1 where they don't tell. */
const rowsOf = (
  { arguments: given = [] }: FieldNode,
  field: GraphQLField<unknown, unknown> | undefined,
  variables: Record<string, unknown>,
): number => {
  if (field === undefined) return 1
  const argument = (name: string): unknown => {
    const node = given.find((one) => one.name.value === name)?.value
    const value = node === undefined ? undefined : valueFromASTUntyped(node, variables)
    return value ?? field.args.find((one) => one.name === name)?.defaultValue
  }
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
