import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'

/** Far above what released clients send: their largest documents alias a field some hundred times. */
const MOST_FIELDS = 100_000
const DEEPEST = 30
/** How often one field may be asked for in one place, under whatever aliases. Root mutations are batches and go free. */
const MOST_TIMES = 100

/**
 * Refuses documents whose answer grows without bound: lists inside the same list (steps of threads of steps …), and
 * fragments that multiply. Released clients' documents are far from any of it.
 */
export const tooComplex = (
  schema: GraphQLSchema,
  document: DocumentNode,
): GraphQLError | undefined => {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions)
    if (definition.kind === 'FragmentDefinition') fragments.set(definition.name.value, definition)
  let fields = 0

  const walk = (
    set: SelectionSetNode,
    type: GraphQLOutputType | undefined,
    lists: string[],
    depth: number,
  ): void => {
    if (depth > DEEPEST)
      throw new GraphQLError(`the document nests more than ${DEEPEST} levels deep`)
    const seen = new Map<string, number>()
    const isBatch = type === schema.getMutationType()
    for (const selection of set.selections) {
      fields++
      if (fields > MOST_FIELDS)
        throw new GraphQLError(`the document selects more than ${MOST_FIELDS} fields`)
      if (selection.kind !== 'Field') {
        const inner =
          selection.kind === 'InlineFragment' ? selection : fragments.get(selection.name.value)
        if (inner !== undefined) walk(inner.selectionSet, type, lists, depth + 1)
        continue
      }
      const name = selection.name.value
      const key = isBatch ? (selection.alias?.value ?? name) : name
      const times = (seen.get(key) ?? 0) + 1
      if (times > MOST_TIMES)
        throw new GraphQLError(
          `the document asks for ${key} more than ${MOST_TIMES} times in one place`,
        )
      seen.set(key, times)
      if (selection.selectionSet === undefined) continue
      const named = type === undefined ? undefined : getNamedType(type)
      const field = isObjectType(named) ? named.getFields()[name] : undefined
      const isList =
        field !== undefined &&
        isListType(getNullableType(field.type)) &&
        !named?.name.startsWith('__')
      const coordinate = `${named?.name}.${name}`
      if (isList && lists.includes(coordinate))
        throw new GraphQLError(`the document selects the list ${coordinate} inside itself`)
      walk(selection.selectionSet, field?.type, isList ? [...lists, coordinate] : lists, depth + 1)
    }
  }

  try {
    for (const definition of document.definitions)
      if (definition.kind === 'OperationDefinition')
        walk(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined, [], 0)
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
  return undefined
}
