import {
  type DocumentNode,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from '../fragments.js'

/** Far above the documents of released clients: their largest alias a field some hundred times. */
const MAX_FIELDS = 100_000
const MAX_DEPTH = 30
/** Limit of one field in one place, under any aliases. Root mutations are batches and have no limit. */
const MAX_TIMES = 100
/** Limit of queries for the schema, which is expensive: tools send one. */
const MAX_INTROSPECTIONS = 3
/** Each operation is checked with all fragments that it uses. */
const MAX_OPERATIONS = 100
const MAX_FRAGMENTS = 1000

/** Returns the type of an introspection field, which every schema has and no type lists. */
const aboutSchema = (schema: GraphQLSchema, name: string): GraphQLOutputType | undefined => {
  const type = schema.getType({ __schema: '__Schema', __type: '__Type' }[name] ?? '')
  return isObjectType(type) ? type : undefined
}

/**
 * Rejects documents whose answer grows without bound: lists inside the same list (steps of threads of steps …), and
 * fragments that multiply. Released clients' documents are far from these limits.
 */
export const tooComplex = (
  schema: GraphQLSchema,
  document: DocumentNode,
): GraphQLError | undefined => {
  const fragments = fragmentsOf(document)
  const operations = document.definitions.length - fragments.size
  if (operations > MAX_OPERATIONS)
    return new GraphQLError(`the document has more than ${MAX_OPERATIONS} operations`)
  if (fragments.size > MAX_FRAGMENTS)
    return new GraphQLError(`the document has more than ${MAX_FRAGMENTS} fragments`)
  let fields = 0
  let introspections = 0

  const walk = (
    set: SelectionSetNode,
    type: GraphQLOutputType | undefined,
    lists: string[],
    depth: number,
  ): void => {
    if (depth > MAX_DEPTH)
      throw new GraphQLError(`the document nests more than ${MAX_DEPTH} levels deep`)
    const seen = new Map<string, number>()
    const isBatch = type === schema.getMutationType()
    const named = type === undefined ? undefined : getNamedType(type)
    for (const selection of set.selections) {
      fields++
      if (fields > MAX_FIELDS)
        throw new GraphQLError(`the document selects more than ${MAX_FIELDS} fields`)
      if (selection.kind !== 'Field') {
        const inner =
          selection.kind === 'InlineFragment' ? selection : fragments.get(selection.name.value)
        if (inner !== undefined) walk(inner.selectionSet, type, lists, depth + 1)
        continue
      }
      const name = selection.name.value
      const key = isBatch ? (selection.alias?.value ?? name) : name
      const times = (seen.get(key) ?? 0) + 1
      if (times > MAX_TIMES)
        throw new GraphQLError(
          `the document asks for ${key} more than ${MAX_TIMES} times in one place`,
        )
      if (name === '__schema' || name === '__type') introspections++
      if (introspections > MAX_INTROSPECTIONS)
        throw new GraphQLError(
          `the document asks for ${name} more than ${MAX_INTROSPECTIONS} times`,
        )
      seen.set(key, times)
      const coordinate = `${named?.name}.${name}`
      if (selection.selectionSet === undefined) continue
      const field = isObjectType(named) ? named.getFields()[name] : undefined
      const isList = field !== undefined && isListType(getNullableType(field.type))
      if (isList && lists.includes(coordinate))
        throw new GraphQLError(`the document selects the list ${coordinate} inside itself`)
      walk(
        selection.selectionSet,
        field?.type ?? aboutSchema(schema, name),
        isList ? [...lists, coordinate] : lists,
        depth + 1,
      )
    }
  }

  try {
    for (const definition of document.definitions) {
      if (definition.kind !== 'OperationDefinition') continue
      walk(definition.selectionSet, schema.getRootType(definition.operation) ?? undefined, [], 0)
    }
  } catch (error) {
    if (error instanceof GraphQLError) return error
    throw error
  }
  return undefined
}
