import { invalidArgument } from '../errors.js'
import { type FileRows, readCsvRows, readJsonlRows } from './rows.js'

/** Files are read as a whole. */
const MAX_FILE_BYTES = 100_000_000

/** Throws when a file of this size is not imported. */
export const checkSize = (bytes: number): void => {
  if (bytes > MAX_FILE_BYTES)
    throw invalidArgument(`file: expected at most ${MAX_FILE_BYTES / 1e6} MB; split it`)
}

/** Reads the rows of a file: JSONL by the end of its name, else CSV. */
export const readFileRows = (name: string, content: Uint8Array): FileRows => {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw invalidArgument(`file: expected UTF-8 in ${name}`)
  }
  return /\.(jsonl|ndjson)$/i.test(name) ? readJsonlRows(text) : readCsvRows(text)
}
