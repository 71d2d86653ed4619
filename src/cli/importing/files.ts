import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip, gunzipSync } from 'node:zlib'
import { StepwellError } from '../../errors.js'
import { checkSize, MAX_FILE_BYTES, readFileRows } from '../../importing/file.js'
import { readJson } from './lenient-json.js'
import { isFields, parsed } from './values.js'

/** A record of a file, or the reason why there is none at its place. */
type FileRecord = { place: string } & (
  | { value: unknown; hasNoNumber: boolean; isNoUtf8?: boolean }
  | { problem: string }
)

const READ = /\.(json|jsonl|ndjson|csv)(\.gz)?$/i
const NOT_READ = /\.(parquet|arrow|feather|zip|xlsx)$/i
/** A record is in memory as a whole. */
const MAX_CHARACTERS = 64_000_000
/** Levels of a record: the service takes fewer, and many more overflow the stack of what writes JSON. */
const MAX_LEVELS = 1000

/** Returns the files of a source: itself, or those in a folder and the folders below it, by name. */
export const filesOf = (path: string): { files: string[]; ignored: string[] } => {
  if (!statSync(path).isDirectory()) {
    if (NOT_READ.test(path))
      throw new StepwellError(
        `${basename(path)}: expected JSON, JSONL or CSV; write it as JSONL first`,
        { code: 'INVALID_ARGUMENT' },
      )
    return { files: [path], ignored: [] }
  }
  const names = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const files = names.filter((name) => READ.test(name))
  if (files.length === 0)
    throw new StepwellError(
      `${basename(path)}: expected JSON, JSONL or CSV in the folder, got none`,
      {
        code: 'INVALID_ARGUMENT',
      },
    )
  return { files, ignored: names.filter((name) => !READ.test(name)) }
}

/**
 * Reads the records of a file, one at a time: lines of JSONL, elements of a list, rows of CSV, and a single object. A record
 * that is broken keeps no other out.
 */
export async function* recordsOf(path: string): AsyncGenerator<FileRecord> {
  for await (const record of anyRecords(path))
    yield 'value' in record && isDeeper(record.value, MAX_LEVELS)
      ? { place: record.place, problem: `expected at most ${MAX_LEVELS} levels` }
      : record
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

async function* anyRecords(path: string): AsyncGenerator<FileRecord> {
  const name = basename(path)
  if (/\.csv(\.gz)?$/i.test(path)) {
    yield* csvRecords(path, name)
    return
  }
  const texts = textsOf(path)
  let at = 0
  for await (const { text, line, problem, isNoUtf8 = false } of texts) {
    at++
    const place = `${name}:${line ?? at}`
    if (problem !== undefined) {
      yield { place, problem }
      continue
    }
    try {
      const { value, hasNoNumber } = readJson(text)
      yield { place, value, hasNoNumber, isNoUtf8 }
    } catch {
      yield { place, problem: 'expected JSON' }
    }
  }
}

function* csvRecords(path: string, name: string): Generator<FileRecord> {
  for (const row of readFileRows(path, wholeOf(path, name)).rows)
    yield 'problem' in row
      ? { place: `${name}:${row.row}`, problem: row.problem }
      : {
          place: `${name}:${row.row}`,
          value: Object.fromEntries(row.values.map(([key, value]) => [key, parsed(value)])),
          hasNoNumber: false,
        }
}

/** Reads a file that is in memory as a whole. */
const wholeOf = (path: string, name: string): Uint8Array => {
  checkSize(statSync(path).size)
  const bytes = readFileSync(path)
  if (!/\.gz$/i.test(path)) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      checkSize(MAX_FILE_BYTES + 1)
    throw noGzip(name)
  }
}

const noGzip = (name: string) =>
  new StepwellError(`${name}: expected gzip, and all of it`, { code: 'INVALID_ARGUMENT' })

interface Text {
  text: string
  line?: number
  problem?: string
  /** True when bytes of it are no UTF-8, and U+FFFD stands for them. */
  isNoUtf8?: boolean
}

const TOO_LONG = `expected at most ${MAX_CHARACTERS / 1e6} million characters`

async function* textsOf(path: string): AsyncGenerator<Text> {
  const utf8 = new Utf8()
  for await (const text of splitTexts(path, utf8))
    yield utf8.isBroken && text.text.includes(REPLACEMENT) ? { ...text, isNoUtf8: true } : text
}

const REPLACEMENT = '\uFFFD'

/** Decodes a file as far as it can, and notes that it could not all of it: a file may have U+FFFD of its own. */
class Utf8 {
  isBroken = false
  readonly #lenient = new TextDecoder()
  readonly #strict = new TextDecoder('utf-8', { fatal: true })

  decode(bytes?: Uint8Array): string {
    const options = { stream: bytes !== undefined }
    try {
      if (!this.isBroken) this.#strict.decode(bytes, options)
    } catch {
      this.isBroken = true
    }
    return this.#lenient.decode(bytes, options)
  }
}

async function* splitTexts(path: string, decoder: Utf8): AsyncGenerator<Text> {
  const raw = createReadStream(path)
  const bytes: Readable = /\.gz$/i.test(path) ? raw.pipe(createGunzip()) : raw
  if (bytes !== raw) raw.on('error', (error) => bytes.destroy(error))
  let splitter: LineSplitter | ValueSplitter | undefined
  let begin = ''
  try {
    for await (const chunk of bytes) {
      let text = decoder.decode(chunk as Uint8Array)
      if (splitter === undefined) {
        begin += text
        const trimmed = begin.trimStart()
        if (trimmed === '') continue
        // A list, or an object that is written over several lines.
        splitter = /^(\[|\{\s*(\r?\n|$))/.test(trimmed) ? new ValueSplitter() : new LineSplitter()
        text = begin
      }
      yield* splitter.push(text)
    }
    if (splitter !== undefined) {
      yield* splitter.push(decoder.decode())
      yield* splitter.end()
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!code.startsWith('Z_')) throw error
    throw noGzip(basename(path))
  }
}

/** The text of a record, as it comes in chunks. */
class Parts {
  #parts: string[] = []
  #length = 0

  add(text: string): void {
    this.#length += text.length
    if (this.#length <= MAX_CHARACTERS) this.#parts.push(text)
  }

  /** Ends the record: yields it, unless it is blank. */
  *take(line?: number): Generator<Text> {
    const text = this.#parts.join('').trim()
    const isTooLong = this.#length > MAX_CHARACTERS
    this.#parts = []
    this.#length = 0
    const place = line === undefined ? {} : { line }
    if (isTooLong) yield { text: '', ...place, problem: TOO_LONG }
    else if (text !== '') yield { text, ...place }
  }
}

/** Divides JSONL into lines. */
class LineSplitter {
  readonly #text = new Parts()
  #line = 1;

  *push(text: string): Generator<Text> {
    let from = 0
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      this.#text.add(text.slice(from, to))
      yield* this.#text.take(this.#line)
      this.#line++
      from = to + 1
    }
    this.#text.add(text.slice(from))
  }

  *end(): Generator<Text> {
    yield* this.#text.take(this.#line)
  }
}

const SIGNS = /["[\]{},]/g

/** Divides a list into its elements, or a text into the objects in it. */
class ValueSplitter {
  #depth = 0
  /** The depth of the values: 1 within a list. */
  #base: number | undefined
  #isInText = false
  readonly #text = new Parts();

  *push(text: string): Generator<Text> {
    let from = 0
    let at = 0
    while (at < text.length) {
      if (this.#isInText) {
        at = this.#endOfText(text, at)
        continue
      }
      SIGNS.lastIndex = at
      const match = SIGNS.exec(text)
      if (match === null) break
      const [sign] = match
      const place = match.index
      at = place + 1
      if (this.#base === undefined) {
        this.#base = sign === '[' ? 1 : 0
        if (sign === '[') {
          this.#depth = 1
          from = at
          continue
        }
      }
      if (sign === '"') this.#isInText = true
      else if (sign === '[' || sign === '{') this.#depth++
      else if (sign === ',' && this.#depth === this.#base) {
        this.#text.add(text.slice(from, place))
        yield* this.#text.take()
        from = at
      } else if (sign !== ',') {
        if (this.#depth === this.#base) {
          // The end of the list.
          this.#text.add(text.slice(from, place))
          yield* this.#text.take()
          this.#base = undefined
          this.#depth = 0
          from = at
          continue
        }
        this.#depth--
        if (this.#depth === 0 && this.#base === 0) {
          this.#text.add(text.slice(from, at))
          yield* this.#text.take()
          this.#base = undefined
          from = at
        }
      }
    }
    this.#text.add(text.slice(from))
  }

  *end(): Generator<Text> {
    const isInList = this.#base === 1
    if (this.#base !== undefined && this.#depth > this.#base) {
      yield { text: '', problem: 'expected the end of a value, got the end of the file' }
      return
    }
    yield* this.#text.take()
    // Cut off between two elements, it would look whole.
    if (isInList) yield { text: '', problem: 'expected the end of a list, got the end of the file' }
  }

  /** A backslash may be the last character of a chunk. */
  #isEscaped = false

  #endOfText(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      if (this.#isEscaped) {
        this.#isEscaped = false
        continue
      }
      const sign = text.charCodeAt(at)
      if (sign === BACKSLASH) this.#isEscaped = true
      else if (sign === QUOTE) {
        this.#isInText = false
        return at + 1
      }
    }
    return text.length
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Returns the records of an answer that was saved as it came: those of its page. */
export const expanded = (value: unknown): unknown[] =>
  isFields(value) && Array.isArray(value.data) && value.id === undefined ? value.data : [value]
