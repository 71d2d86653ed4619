import type { ExportedRow } from '../../graphql/exporting/pages.js'

/** Writes the rows of an export in a format, page by page. */
export interface RowWriter {
  /** Returns the bytes before the first row. */
  begin: () => Uint8Array
  /** Returns the bytes that these rows complete, and about how many characters the rows have. */
  write: (rows: readonly ExportedRow[]) => { bytes: Uint8Array; characters: number }
  /** Returns the bytes after the last row. */
  end: () => Uint8Array
  /** Returns the last bytes of a broken export, for those who look at the file. */
  fail: (error: unknown) => Uint8Array
}

export const NOTHING = new Uint8Array()

const encoder = new TextEncoder()
export const utf8 = (text: string): Uint8Array => encoder.encode(text)

/** Returns the value to which names of fields lead; null or undefined when there is none. */
export const valueAt = (row: ExportedRow, path: readonly string[]): unknown => {
  let value: unknown = row
  for (const name of path) value = (value as ExportedRow | null | undefined)?.[name]
  return value
}
