import type { Column } from '../../graphql/exporting/columns.js'
import type { ColumnKind } from '../../graphql/exporting/kinds.js'
import type { ExportedRow } from '../../graphql/exporting/pages.js'
import { NOTHING, type RowWriter, utf8, valueAt } from './row-writer.js'

const BYTE_ORDER_MARK = '\uFEFF'
const END_OF_LINE = '\r\n'

/**
 * Spreadsheets run a cell that begins like this as a formula, also behind the full-width forms of these characters. A
 * tab, return or line break at the beginning is skipped by some of them. Texts that begin with an apostrophe before one get
 * another, so that an import removes one from each.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/
/** A number in a text can do no harm, and stays a number. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const QUOTED = /[",\r\n;\t]|^\s|\s$/

/** Writes a text as a cell. An apostrophe before a formula makes spreadsheets show it, as OWASP advises. */
const textCell = (text: string): string => {
  // A cell of nothing but quotes is an empty text; null is a cell of nothing at all.
  if (text === '') return '""'
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Writes a value as a cell of CSV, by RFC 4180. */
export const cell = (value: unknown, isJson: boolean): string => {
  if (value === null || value === undefined) return ''
  if (isJson) return textCell(JSON.stringify(value))
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : textCell(String(value))
}

const line = (cells: readonly string[]) => `${cells.join(',')}${END_OF_LINE}`

const csvHead = (columns: readonly Column[]): string =>
  line(columns.map(({ name }) => textCell(name)))

const csvLine = (columns: readonly Column[], row: ExportedRow): string =>
  line(columns.map(({ path, kind }) => cell(valueAt(row, path), isJson(kind))))

const isJson = (kind: ColumnKind): boolean => kind === 'json' || kind === 'texts'

/** Writes rows as CSV. */
export const csvWriter = (columns: readonly Column[], hasByteOrderMark: boolean): RowWriter => ({
  begin: () => utf8(`${hasByteOrderMark ? BYTE_ORDER_MARK : ''}${csvHead(columns)}`),
  write: (rows) => {
    const text = rows.map((row) => csvLine(columns, row)).join('')
    return { bytes: utf8(text), characters: text.length }
  },
  end: () => NOTHING,
  fail: () => NOTHING,
})
