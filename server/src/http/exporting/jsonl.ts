import { DomainError } from '../../kernel/errors.js'
import { NOTHING, type RowWriter, utf8 } from './row-writer.js'

/** Writes each row as JSON in a line. */
export const jsonlWriter: RowWriter = {
  begin: () => NOTHING,
  write: (rows) => {
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    return { bytes: utf8(text), characters: text.length }
  },
  end: () => NOTHING,
  // No row has such a key.
  fail: (error) => {
    const { code, message } =
      error instanceof DomainError
        ? error
        : { code: 'INTERNAL', message: 'the service failed; its log has the details' }
    return utf8(`${JSON.stringify({ exportError: { code, message } })}\n`)
  },
}
