import { type GraphQLObjectType, type GraphQLSchema, getNamedType, isObjectType } from 'graphql'
import { DomainError, invalid, show } from '../../kernel/errors.js'
import { type Column, readColumns, selectionOf } from './columns.js'
import { EXPORTED_LISTS, type ExportedList } from './lists.js'

/** The rows and columns that an export asks for. */
export interface ExportRequest {
  list: string
  columns?: readonly string[] | undefined
  /** Conditions and order, as the list takes them. */
  query?: unknown
  filters?: unknown
  orderBy?: unknown
  /** Ids of rows that have lists, by the parameter that names them. */
  ids: Readonly<Record<string, string | undefined>>
}

/** A document that reads one page of an export. */
export interface ExportDocument {
  query: string
  variables: Record<string, unknown>
  columns: readonly Column[]
  /** The row that has the list; undefined when the list is a root field. */
  parent: { of: string; id: string } | undefined
}

/** Writes the document of an export. Throws when the list is none, or does not take what the request has. */
export const exportDocument = (
  schema: GraphQLSchema,
  request: ExportRequest,
  now: Date,
): ExportDocument => {
  const list = listOf(request.list)
  const { field, type } = connectionOf(schema, list)
  const has = (name: string) => field.args.some((argument) => argument.name === name)
  const columns = readColumns(type, list, request.columns)
  const variables: Record<string, unknown> = {}
  const declared = ['$first: Int', '$after: ID']
  const given = ['first: $first', 'after: $after']
  for (const name of ['query', 'filters', 'orderBy'] as const) {
    const value = request[name]
    if (value === undefined) continue
    const argument = field.args.find((one) => one.name === name)
    if (argument === undefined)
      throw invalid(`${name}: ${request.list} take none; expected it to be left out`)
    declared.push(`$${name}: ${argument.type}`)
    given.push(`${name}: $${name}`)
    variables[name] = value
  }
  // Newest first, later rows come before the first page. In other orders they could come without end.
  if (has('cursorAnchor') && variables.orderBy !== undefined) {
    declared.push('$cursorAnchor: DateTime')
    given.push('cursorAnchor: $cursorAnchor')
    variables.cursorAnchor = now.toISOString()
  }
  const rows = `(${given.join(', ')}) { pageInfo { hasNextPage endCursor } edges { node { ${selectionOf(type, columns)} } } }`
  const parent = parentOf(list, request)
  if (parent === undefined)
    return {
      query: `query Export(${declared.join(', ')}) { list: ${list.root}${rows} }`,
      variables,
      columns,
      parent,
    }
  return {
    query: `query Export($id: String!, ${declared.join(', ')}) { parent: ${list.root}(id: $id) { list: ${list.below}${rows} } }`,
    variables: { ...variables, id: parent.id },
    columns,
    parent,
  }
}

const listOf = (name: string): ExportedList => {
  const list = Object.hasOwn(EXPORTED_LISTS, name) ? EXPORTED_LISTS[name] : undefined
  if (list !== undefined) return list
  throw new DomainError(
    'NOT_FOUND',
    `path: expected a list, one of ${Object.keys(EXPORTED_LISTS).join(', ')}, got ${show(name)}`,
  )
}

const parentOf = (list: ExportedList, { list: name, ids }: ExportRequest) => {
  for (const [parameter, id] of Object.entries(ids))
    if (id !== undefined && parameter !== list.of)
      throw invalid(`${parameter}: ${name} take none; expected it to be left out`)
  if (list.of === undefined) return undefined
  const id = ids[list.of]
  if (id === undefined || id === '') throw invalid(`${list.of}: expected an id for ${name}`)
  return { of: list.of, id }
}

/** Finds the field with the list, and the type of its rows. */
const connectionOf = (schema: GraphQLSchema, { root, below }: ExportedList) => {
  const top = schema.getQueryType()?.getFields()[root]
  const field = below === undefined ? top : typeOf(top?.type).getFields()[below]
  if (field === undefined) throw new Error(`no list at ${root}`)
  const edge = typeOf(typeOf(field.type).getFields().edges?.type)
  return { field, type: typeOf(edge.getFields().node?.type) }
}

const typeOf = (type: Parameters<typeof getNamedType>[0]): GraphQLObjectType => {
  const named = getNamedType(type)
  if (!isObjectType(named)) throw new Error(`${named} has no fields`)
  return named
}
