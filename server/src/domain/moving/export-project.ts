import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Database } from '../../database/database.js'
import { decodeText } from '../../database/text.js'
import { collectGarbage } from '../../kernel/collect-garbage.js'
import type { TarWriter } from '../../kernel/tar/writer.js'
import { lineOf } from '../../storage/moving/line.js'
import { MOVED, type MovedTable } from '../../storage/moving/plan.js'
import { countRows, readRows, type TextRow } from '../../storage/moving/read.js'
import { type ContentStore, measure } from './contents.js'
import {
  contentName,
  HEADER,
  headerOf,
  MANIFEST,
  type Manifest,
  partName,
  sha256,
  textOf,
} from './format.js'

/** Bytes of lines after which a part ends: a transaction of an import stores one, and others wait for it. */
const PART_BYTES = 1_000_000
/** Lines about files, whose contents follow their part. */
const FILES_PART_BYTES = 64_000

const compressed = promisify(gzip)

export interface Progress {
  table: string
  rows: number
  /** The rows of the project in all tables. */
  of: number
  bytes: number
}

interface Exported {
  rows: number
  files: number
  /** Files that are noted, but whose content is not there: uploads that never came. */
  missing: number
  /** The hash of the manifest, and so of all that the archive has. */
  hash: string
}

/** Writes a project as an archive. Needs a transaction with one snapshot. The same rows and files make the same bytes. */
export const exportProject = async (
  db: Database,
  store: ContentStore,
  project: { id: string; name: string },
  tar: TarWriter,
  report: (progress: Progress) => void = () => undefined,
): Promise<Exported> => {
  const header = headerOf(project)
  const manifest: Manifest = { ...header, parts: [], files: { count: 0, bytes: 0 } }
  let of = 0
  for (const table of MOVED) of += await countRows(db, project.id, table)
  const done: Exported = { rows: 0, files: 0, missing: 0, hash: '' }
  await tar.file(HEADER, textOf(header))
  for (const table of MOVED) {
    const part = new Part(table, tar, manifest)
    for await (const rows of readRows(db, project.id, table)) {
      for (const row of rows) {
        if (table.name === 'files') {
          const content = await contentOf(store, project.id, row)
          if (content === undefined) done.missing++
          part.add(withContent(lineOf(table.columns, row), content), content)
        } else part.add(lineOf(table.columns, withoutKeys(table, row)), undefined)
        if (part.isFull) await part.write(store, project.id)
      }
      done.rows += rows.length
      report({ table: table.name, rows: done.rows, of, bytes: tar.bytes })
    }
    await part.write(store, project.id)
  }
  const text = textOf(manifest)
  await tar.file(MANIFEST, text)
  await tar.end()
  return { ...done, files: manifest.files.count, hash: sha256(text) }
}

/** A file's content, as the line about it names it. */
interface Content {
  objectKey: string
  hash: string
  bytes: number
}

/** The lines of a table that are not written yet. */
class Part {
  readonly #table: MovedTable
  readonly #tar: TarWriter
  readonly #manifest: Manifest
  readonly #most: number
  #lines: string[] = []
  #contents: Content[] = []
  #bytes = 0
  #number = 0

  constructor(table: MovedTable, tar: TarWriter, manifest: Manifest) {
    this.#table = table
    this.#tar = tar
    this.#manifest = manifest
    this.#most = table.name === 'files' ? FILES_PART_BYTES : PART_BYTES
  }

  get isFull(): boolean {
    return this.#bytes >= this.#most
  }

  add(line: string, content: Content | undefined): void {
    this.#lines.push(`${line}\n`)
    this.#bytes += Buffer.byteLength(line) + 1
    if (content !== undefined) this.#contents.push(content)
  }

  /** Writes the lines, and the contents that they name in their order. */
  async write(store: ContentStore, projectId: string): Promise<void> {
    if (this.#lines.length === 0) return
    const text = Buffer.from(this.#lines.join(''))
    const rows = this.#lines.length
    const contents = this.#contents
    this.#lines = []
    this.#contents = []
    this.#bytes = 0
    collectGarbage(text.length + contents.reduce((sum, { bytes }) => sum + bytes, 0))
    const name = partName(this.#table.name, ++this.#number, sha256(text))
    await this.#tar.file(name, await compressed(text))
    this.#manifest.parts.push({ name, rows, bytes: text.length })
    for (const { objectKey, hash, bytes } of contents) {
      const content = await store.open(projectId, objectKey)
      if (content === undefined)
        throw new Error(`the file ${objectKey} was deleted while it was read`)
      await this.#tar.stream(contentName(hash), bytes, content)
      this.#manifest.files.count++
      this.#manifest.files.bytes += bytes
    }
  }
}

const contentOf = async (
  store: ContentStore,
  projectId: string,
  row: TextRow,
): Promise<Content | undefined> => {
  const objectKey = decodeText(row.object_key ?? '')
  const content = await store.open(projectId, objectKey)
  return content && { objectKey, ...(await measure(content)) }
}

const withContent = (line: string, content: Content | undefined): string =>
  content === undefined
    ? line
    : `${line.slice(0, -1)},"content":${JSON.stringify({ sha256: content.hash, bytes: content.bytes })}}`

/** Empties the sealed keys of models, which no other service could open. */
const withoutKeys = ({ name }: MovedTable, row: TextRow): TextRow => {
  if (name !== 'projects' || typeof row.model_endpoints !== 'string') return row
  const endpoints = JSON.parse(row.model_endpoints) as object[]
  return {
    ...row,
    model_endpoints: JSON.stringify(
      endpoints.map((endpoint) => ({ ...endpoint, sealedKey: null })),
    ),
  }
}
