import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import { invalid, show } from '../../kernel/errors.js'
import { type ColumnKind, kindOf } from './kinds.js'
import type { ExportedList } from './lists.js'

/** A column of an export: the names of the fields that lead to its value. */
export interface Column {
  name: string
  path: readonly string[]
  kind: ColumnKind
}

/** Limit of the columns that a request names. */
const MAX_COLUMNS = 200
/** The same in each row. */
const SAME = new Set(['projectId'])

type Field = GraphQLField<unknown, unknown>

const isPlain = (field: Field) => field.args.length === 0 && isLeafType(getNamedType(field.type))
const isCurrent = ({ deprecationReason }: Field) => deprecationReason === undefined

/** Returns the columns of a default export: the id, the other plain fields of a row, and those that the list adds. */
const defaultColumns = (
  type: GraphQLObjectType,
  { also = [], without = [] }: ExportedList,
): string[] => [
  'id',
  ...Object.values(type.getFields())
    .filter((field) => isPlain(field) && isCurrent(field))
    .map(({ name }) => name)
    .filter((name) => name !== 'id' && !SAME.has(name) && !without.includes(name)),
  ...also,
]

/** Finds the columns with these names. Throws at a name that is none. */
export const readColumns = (
  type: GraphQLObjectType,
  list: ExportedList,
  given: readonly string[] | undefined,
): Column[] => {
  const names = given ?? defaultColumns(type, list)
  if (names.length === 0 || names.length > MAX_COLUMNS)
    throw invalid(`columns: expected 1 to ${MAX_COLUMNS} of them, got ${names.length}`)
  return [...new Set(names)].map((name) => {
    const kind = kindOfColumn(type, name.split('.'))
    if (kind === undefined)
      throw invalid(
        `columns: ${show(name)} is no column of this list; expected some of ${allColumns(type).join(', ')}`,
      )
    return { name, path: name.split('.'), kind }
  })
}

/** Returns undefined when a path leads to no column. */
const kindOfColumn = (
  type: GraphQLObjectType,
  [name = '', below, ...rest]: readonly string[],
): ColumnKind | undefined => {
  const field = type.getFields()[name]
  if (field === undefined || field.args.length > 0 || rest.length > 0) return undefined
  const isList = isListType(getNullableType(field.type))
  const inner = getNamedType(field.type)
  if (below === undefined) {
    if (isPlain(field)) return kindOf(field.type)
    return isList && isObjectType(inner) && isSmall(inner) ? 'json' : undefined
  }
  if (!isObjectType(inner) || isList) return undefined
  const plain = inner.getFields()[below]
  return plain === undefined || !isPlain(plain) ? undefined : kindOf(plain.type)
}

/** Lists of steps and of sessions may be as large as the export itself. */
const isSmall = ({ name }: GraphQLObjectType) => name === 'Score' || name === 'Attachment'

/** Returns the names of all columns of a list. */
const allColumns = (type: GraphQLObjectType): string[] =>
  Object.values(type.getFields()).flatMap((field) => {
    if (kindOfColumn(type, [field.name]) !== undefined) return [field.name]
    const inner = getNamedType(field.type)
    if (!isObjectType(inner) || isListType(getNullableType(field.type))) return []
    return Object.keys(inner.getFields())
      .map((below) => [field.name, below])
      .filter((path) => kindOfColumn(type, path) !== undefined)
      .map((path) => path.join('.'))
  })

/** Returns the selection of the columns, in their order. */
export const selectionOf = (type: GraphQLObjectType, columns: readonly Column[]): string =>
  columns
    .map(({ path: [name = '', below] }) => {
      if (below !== undefined) return `${name} { ${below} }`
      const inner = getNamedType(type.getFields()[name]?.type)
      if (inner === undefined || !isObjectType(inner)) return name
      const fields = Object.values(inner.getFields()).filter(
        (field) => isPlain(field) && isCurrent(field) && !SAME.has(field.name),
      )
      return `${name} { ${fields.map((field) => field.name).join(' ')} }`
    })
    .join(' ')
