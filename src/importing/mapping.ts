import { invalidArgument } from '../errors.js'
import { type FileRow, isObject } from './rows.js'

/** The parts of an item that columns go to. */
export const PARTS = ['input', 'expectedOutput', 'metadata'] as const
export type Part = (typeof PARTS)[number]

/** The part of each column; columns that are not in it are left out. */
export type Mapping = ReadonlyMap<string, Part>

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

/** Makes a mapping from the columns of each part. Throws when one is not in the file, or in two parts. */
export const mappingOf = (
  columns: readonly string[],
  parts: Readonly<Partial<Record<Part, readonly string[] | undefined>>>,
): Mapping => {
  const mapping = new Map<string, Part>()
  for (const part of PARTS)
    for (const column of parts[part] ?? []) {
      if (!columns.includes(column))
        throw invalidArgument(
          `${part}: expected a column of the file, one of ${columns.join(', ')}, got ${JSON.stringify(column)}`,
        )
      if (mapping.has(column))
        throw invalidArgument(`${part}: ${JSON.stringify(column)} is in ${mapping.get(column)} too`)
      mapping.set(column, part)
    }
  return mapping
}

/**
 * Makes an item from a row. An object becomes the part itself; any other value becomes a member by the name of its
 * column, without the name of the part before it.
 */
export const itemOf = (
  fileRow: FileRow,
  mapping: Mapping,
): ImportedItem | { row: number; problem: string } => {
  const { row } = fileRow
  if ('problem' in fileRow) return fileRow
  const members: Record<Part, [string, unknown][]> = { input: [], expectedOutput: [], metadata: [] }
  for (const [column, value] of fileRow.values) {
    const part = mapping.get(column)
    if (part === undefined || value === undefined) continue
    if (isObject(value)) members[part].push(...Object.entries(value))
    else members[part].push([nameIn(part, column), value])
  }
  if (members.input.length === 0)
    return { row, problem: 'input: expected a value in one of its columns, got none' }
  const { expectedOutput } = members
  return {
    row,
    input: Object.fromEntries(members.input),
    expectedOutput: expectedOutput.length === 0 ? null : Object.fromEntries(expectedOutput),
    metadata: Object.fromEntries(members.metadata),
  }
}

const nameIn = (part: Part, column: string): string =>
  column.startsWith(`${part}.`) && column.length > part.length + 1
    ? column.slice(part.length + 1)
    : column
