import { createHash } from 'node:crypto'
import { invalid, show } from '../../kernel/errors.js'
import { MOVED } from '../../storage/moving/plan.js'
import { isObject } from '../values.js'

export const FORMAT = 'stepwell-project'
/** Grows when an older program would misread an archive; new tables and columns are told by the header. */
const VERSION = 1
export const HEADER = 'stepwell.json'
export const MANIFEST = 'manifest.json'
const PART = /^([a-z_]+)\/(\d{6})-([0-9a-f]{64})\.jsonl\.gz$/
const CONTENT = /^contents\/([0-9a-f]{64})$/

/** The first entry of an archive. */
export interface Header {
  format: typeof FORMAT
  version: number
  project: { id: string; name: string }
  /** The columns that the archive has of each table. */
  tables: Record<string, string[]>
}

/** The last entry of an archive. Its hash is that of the archive, as all others are in it. */
export interface Manifest extends Header {
  parts: { name: string; rows: number; bytes: number }[]
  files: { count: number; bytes: number }
}

export const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex')

export const headerOf = (project: { id: string; name: string }): Header => ({
  format: FORMAT,
  version: VERSION,
  project: { id: project.id, name: project.name },
  tables: Object.fromEntries(
    MOVED.map(({ name, columns }) => [name, columns.map(({ column }) => column)]),
  ),
})

/** Writes a header or a manifest. */
export const textOf = (content: Header | Manifest): Buffer =>
  Buffer.from(`${JSON.stringify(content, null, 1)}\n`)

export const partName = (table: string, number: number, hash: string): string =>
  `${table}/${String(number).padStart(6, '0')}-${hash}.jsonl.gz`

export const contentName = (hash: string): string => `contents/${hash}`

/** Reads the name of an entry; undefined when it is neither a part nor a file. */
export const readName = (
  name: string,
):
  | { kind: 'part'; table: string; hash: string }
  | { kind: 'content'; hash: string }
  | undefined => {
  const [, table, , hash] = PART.exec(name) ?? []
  if (table !== undefined && hash !== undefined) return { kind: 'part', table, hash }
  const [, content] = CONTENT.exec(name) ?? []
  return content === undefined ? undefined : { kind: 'content', hash: content }
}

/**
 * Reads a header, and rejects an archive that this program would not understand all of.
 *
 * @throws DomainError `INVALID_ARGUMENT` for other files, and for archives of newer versions.
 */
export const readHeader = (name: string, content: Buffer): Header => {
  const other = () => invalid('FILE: expected an archive that stepwell export wrote')
  if (name !== HEADER) throw other()
  let header: unknown
  try {
    header = JSON.parse(content.toString())
  } catch {
    throw other()
  }
  if (!isObject(header) || header.format !== FORMAT || typeof header.version !== 'number')
    throw other()
  if (header.version > VERSION)
    throw invalid(
      `FILE: a newer version of Stepwell wrote it, in format ${header.version}; this one reads formats up to ${VERSION}. Update @stepwell/server`,
    )
  const read = header as unknown as Header
  for (const [table, columns] of Object.entries(read.tables)) {
    const known = MOVED.find((one) => one.name === table)?.columns.map(({ column }) => column)
    const unknown = columns.find((column) => !known?.includes(column))
    if (known === undefined || unknown !== undefined)
      throw invalid(
        `FILE: a newer version of Stepwell wrote it, with ${show(known === undefined ? table : `${table}.${unknown}`)}, which this one does not know. Update @stepwell/server`,
      )
  }
  return read
}
