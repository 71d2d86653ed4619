import Papa from 'papaparse'
import { invalidArgument } from '../errors.js'

/** A row of a file, or the reason why it is none. */
export type FileRow = {
  /** Its number in the file, from 1: that of a spreadsheet, or of the line of JSONL. */
  row: number
} & ({ values: readonly (readonly [column: string, value: unknown])[] } | { problem: string })

/** The rows of a file, and the names of its columns. */
export interface FileRows {
  columns: string[]
  rows: FileRow[]
}

/** Reads CSV, whose first row names the columns; separated by a comma, semicolon or tab, with or without a byte order mark. */
export const readCsvRows = (text: string): FileRows => {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter: delimiterOf(text) })
  const [head = [], ...lines] = data
  const columns = head.map((name) => name.trim())
  const names = new Set<string>()
  for (const [at, name] of columns.entries()) {
    if (name === '') throw invalidArgument(`column ${at + 1}: expected a name in the first row`)
    if (names.has(name))
      throw invalidArgument(`column ${at + 1}: expected a name of its own, got ${show(name)} again`)
    names.add(name)
  }
  if (columns.length === 0) throw invalidArgument('file: expected a first row with the columns')
  const broken = new Map(errors.map((error) => [error.row, error.message]))
  const rows = lines.flatMap((cells, index): FileRow[] => {
    const row = index + 2
    if (cells.every((cell) => cell.trim() === '')) return []
    const quote = broken.get(index + 1)
    if (quote !== undefined) return [{ row, problem: quote }]
    if (cells.length !== columns.length)
      return [{ row, problem: `expected ${columns.length} cells, got ${cells.length}` }]
    return [{ row, values: columns.map((name, at) => [name, contentOf(cells[at] ?? '')] as const) }]
  })
  return { columns, rows }
}

/** Returns the delimiter of the first row: the one that makes the most columns of it. */
const delimiterOf = (text: string): string => {
  const columnsBy = (delimiter: string) =>
    Papa.parse<string[]>(text, { delimiter, preview: 1 }).data[0]?.length ?? 0
  const [first = ','] = [',', ';', '\t'].sort((a, b) => columnsBy(b) - columnsBy(a))
  return first
}

/** Exports write an apostrophe before a text that spreadsheets would run as a formula. */
const GUARDED = /^'+[=+\-@\t\r\n＝＋－＠]/

/** Returns the value of a cell: an object or a list from JSON, otherwise the text; undefined for an empty cell. */
const contentOf = (cell: string): unknown => {
  if (cell === '') return undefined
  if (GUARDED.test(cell)) return cell.slice(1)
  if (!/^\s*[[{]/.test(cell)) return cell
  try {
    return JSON.parse(cell)
  } catch {
    return cell
  }
}

/** Reads JSONL: an object a line, whose members are the columns. */
export const readJsonlRows = (text: string): FileRows => {
  const columns = new Set<string>()
  const rows = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, index): FileRow[] => {
      if (line.trim() === '') return []
      const row = index + 1
      let value: unknown
      try {
        value = JSON.parse(line)
      } catch (error) {
        return [{ row, problem: `expected JSON: ${(error as Error).message}` }]
      }
      if (!isObject(value)) return [{ row, problem: 'expected an object' }]
      const values = Object.entries(value)
      for (const [name] of values) columns.add(name)
      return [{ row, values: values.map(([name, one]) => [name, one ?? undefined] as const) }]
    })
  return { columns: [...columns], rows }
}

/** Returns true for an object that is no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const show = (name: string) => JSON.stringify(name.slice(0, 80))
