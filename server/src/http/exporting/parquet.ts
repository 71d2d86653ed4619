import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import type { Column } from '../../graphql/exporting/columns.js'
import type { ExportedRow } from '../../graphql/exporting/pages.js'
import { COLUMN_FORMS, type ColumnForm, schemaOf } from './parquet-columns.js'
import { NOTHING, type RowWriter, valueAt } from './row-writer.js'

/** Rows and characters of a row group. It is written at once, so this bounds the memory and the time that it takes. */
const GROUP_ROWS = 20_000
const GROUP_CHARACTERS = 2_000_000

/** A file by its bytes so far. */
class Part extends ByteWriter {
  /** Returns the bytes since the last call. The places of later parts count on. */
  take(): Uint8Array {
    const bytes = this.getBytes().slice()
    this.index = 0
    return bytes
  }
}

interface WrittenColumn {
  column: Column
  form: ColumnForm
  data: unknown[]
}

/**
 * Writes rows as Parquet: in row groups, each as soon as its rows are there, and at the end the footer. Groups depend on
 * the rows alone, so that equal rows are equal bytes. A file without its end is no Parquet to any reader.
 */
export const parquetWriter = (columns: readonly Column[]): RowWriter => {
  const part = new Part()
  const file = new ParquetWriter({
    writer: part,
    schema: schemaOf(columns, 'written'),
    createdBy: 'stepwell',
  })
  const written: WrittenColumn[] = columns.map((column) => ({
    column,
    form: COLUMN_FORMS[column.kind],
    data: [],
  }))
  let characters = 0
  let rows = 0
  const endGroup = (): void => {
    if (rows === 0) return
    file.write({
      rowGroupSize: rows,
      columnData: written.map(({ column: { name }, form: { hasBounds }, data }) => ({
        name,
        data,
        offsetIndex: false,
        statistics: hasBounds,
      })),
    })
    for (const one of written) one.data = []
    rows = 0
    characters = 0
  }
  const add = (row: ExportedRow): number => {
    let length = 0
    for (const { column, form, data } of written) {
      const value = valueAt(row, column.path) ?? null
      const cell = value === null ? null : form.write(value)
      length += typeof cell === 'string' ? cell.length : CHARACTERS_OF_OTHERS
      data.push(cell)
    }
    rows++
    characters += length
    if (rows >= GROUP_ROWS || characters >= GROUP_CHARACTERS) endGroup()
    return length
  }
  return {
    begin: () => part.take(),
    write: (some) => {
      const sum = some.reduce((length, row) => length + add(row), 0)
      return { bytes: part.take(), characters: sum }
    },
    end: () => {
      endGroup()
      file.schema = schemaOf(columns, 'named')
      file.finish()
      return part.take()
    },
    fail: () => NOTHING,
  }
}

/** Numbers and lists of tags. */
const CHARACTERS_OF_OTHERS = 10
