import { invalidArgument } from '../errors.js'
import { type FileRows, readCsvRows, readJsonlRows } from './rows.js'

/** Files are read as a whole. */
export const MAX_FILE_BYTES = 100_000_000

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
  if (/\.(jsonl|ndjson)$/i.test(name)) return readJsonlRows(text)
  if (JSON_BEGINS.test(text))
    throw invalidArgument(
      `file: expected CSV, or JSONL in a file whose name ends with .jsonl, got JSON in ${name}`,
    )
  return readCsvRows(text)
}

/** The begin of a list and of an object. No row of columns begins like that. */
const JSON_BEGINS = /^\uFEFF?\s*(\[\s*["[{]|\{\s*"|\[\s*\]\s*$)/
