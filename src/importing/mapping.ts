import { invalidArgument } from '../errors.js'
import { setAt, setOnce } from './paths.js'
import { type FileRow, isObject } from './rows.js'

/** The parts of an item that columns go to. */
export const PARTS = ['input', 'expectedOutput', 'metadata'] as const
export type Part = (typeof PARTS)[number]

/** A part, or a path in it: `metadata.source.file`. */
export type Place = Part | `${Part}.${string}`

/** The place of each column; columns that are not in it are left out. */
export type Mapping = ReadonlyMap<string, Place>

/** An item to import. */
export interface ImportedItem {
  /** The number of its row in the file. */
  row: number
  input: Record<string, unknown>
  expectedOutput: Record<string, unknown> | null
  metadata: Record<string, unknown>
}

/** Columns of an export that are no contents of an item. */
const OWN = /^(id|createdAt|datasetId|stepId|intermediarySteps)$/
const EXPECTED = /^(expected|ideal|target|reference|answer|output|label|completion)/i

/** Guesses the part of each column by its name; without a column for the input, all that is left is the input. */
export const guessMapping = (columns: readonly string[]): Mapping => {
  const guessed = columns.map((column): [string, Part | 'rest'] => {
    if (/^metadata\b/i.test(column)) return [column, 'metadata']
    if (/^(input|inputs|question|prompt|query)\b/i.test(column)) return [column, 'input']
    return [column, EXPECTED.test(column) ? 'expectedOutput' : 'rest']
  })
  const rest = guessed.some(([, part]) => part === 'input') ? 'metadata' : 'input'
  return new Map(
    guessed
      .filter(([column]) => !OWN.test(column))
      .map(([column, part]) => [column, part === 'rest' ? rest : part]),
  )
}

/**
 * Makes a mapping from the columns of each part, where `column=path` sets the path in it. Throws when a column is not in the
 * file, or in two parts.
 */
export const mappingOf = (
  columns: readonly string[],
  parts: Readonly<Partial<Record<Part, readonly string[] | undefined>>>,
): Mapping => {
  const mapping = new Map<string, Place>()
  for (const part of PARTS)
    for (const given of parts[part] ?? []) {
      const at = columns.includes(given) ? -1 : given.indexOf('=')
      const column = at < 0 ? given : given.slice(0, at)
      if (!columns.includes(column))
        throw invalidArgument(
          `${part}: expected a column of the file, one of ${columns.join(', ')}, got ${JSON.stringify(column)}`,
        )
      if (mapping.has(column))
        throw invalidArgument(`${part}: ${JSON.stringify(column)} is in ${mapping.get(column)} too`)
      mapping.set(column, at < 0 ? part : placeOf(part, given.slice(at + 1)))
    }
  return mapping
}

/** Returns the place of a path in a part; an empty path is the part itself. Throws when a name in it is empty. */
export const placeOf = (part: Part, path: string): Place => {
  if (path === '') return part
  if (path.split('.').includes(''))
    throw invalidArgument(`${part}: expected names with dots between them, got ${show(path)}`)
  return `${part}.${path}`
}

/** Splits a place into its part and the path in it; an empty one for the part itself. */
export const splitPlace = (place: Place): { part: Part; path: string } => {
  const [part = 'input', ...names] = place.split('.')
  return { part: part as Part, path: names.join('.') }
}

/** The service stores none that nests deeper, and writing it as text could take more than the stack. */
const MAX_DEPTH = 500

/**
 * Returns what was expected of a value that can't be sent as it is; undefined for any other. JSON has numbers beyond those of
 * JavaScript, such as `1e400`: they would be sent as null.
 */
const expectedOf = (value: unknown, left = MAX_DEPTH): string | undefined => {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'numbers below 1.8e308'
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return `JSON nested at most ${MAX_DEPTH} levels deep`
  for (const inner of Object.values(value)) {
    const expected = expectedOf(inner, left - 1)
    if (expected !== undefined) return expected
  }
  return undefined
}

/**
 * Makes an item from a row. At a path, a value is set as it is. In the part itself, an object becomes the part, and any other
 * value a member by the name of its column, without the name of the part before it.
 */
export const itemOf = (
  fileRow: FileRow,
  mapping: Mapping,
): ImportedItem | { row: number; problem: string } => {
  const { row } = fileRow
  if ('problem' in fileRow) return fileRow
  const parts: Record<Part, Record<string, unknown>> = {
    input: {},
    expectedOutput: {},
    metadata: {},
  }
  for (const [column, value] of fileRow.values) {
    const place = mapping.get(column)
    if (place === undefined || value === undefined) continue
    const expected = expectedOf(value)
    if (expected !== undefined) return { row, problem: `${column}: expected ${expected}` }
    const { part, path } = splitPlace(place)
    if (path !== '') {
      const inTheWay = setAt(parts[part], path.split('.'), value)
      if (inTheWay === path) return { row, problem: `${place}: ${TWO_VALUES}` }
      if (inTheWay !== undefined)
        return { row, problem: `${place}: expected an object at ${part}.${inTheWay}` }
      continue
    }
    const members: [string, unknown][] = isObject(value)
      ? Object.entries(value)
      : [[nameIn(part, column), value]]
    for (const [name, member] of members)
      if (!setOnce(parts[part], name, member))
        return { row, problem: `${part}.${name}: ${TWO_VALUES}` }
  }
  const { input, expectedOutput, metadata } = parts
  if (Object.keys(input).length === 0)
    return { row, problem: 'input: expected a value in one of its columns, got none' }
  return {
    row,
    input,
    expectedOutput: Object.keys(expectedOutput).length === 0 ? null : expectedOutput,
    metadata,
  }
}

const TWO_VALUES = 'expected one value, got those of two columns'

const nameIn = (part: Part, column: string): string =>
  column.startsWith(`${part}.`) && column.length > part.length + 1
    ? column.slice(part.length + 1)
    : column

const show = (text: string) => JSON.stringify(text.slice(0, 80))
