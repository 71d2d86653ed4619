import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { invalid } from '../../kernel/errors.js'
import type { PlacedEntry, TarFile } from '../../kernel/tar/file-reader.js'
import { MOVED } from '../../storage/moving/plan.js'
import {
  contentName,
  type Header,
  MANIFEST,
  type Manifest,
  readHeader,
  readName,
  sha256,
  textOf,
} from './format.js'

/** More than the largest row, and less than what would end the process. */
const MAX_PART_BYTES = 500_000_000

const decompressed = promisify(gunzip)

const damaged = (reason: string) =>
  invalid(
    `FILE: the archive is damaged: ${reason}; nothing was imported from there on. Export it again`,
  )

/** A file whose content follows the part with its line. */
interface NamedContent {
  object_key: string
  content?: { sha256: string; bytes: number }
}

/** Reads the lines of a part, and rejects others than those of its hash. */
export const readPart = async (
  tar: TarFile,
  entry: PlacedEntry,
): Promise<{ table: string; lines: string[]; bytes: number }> => {
  const named = readName(entry.name)
  if (named?.kind !== 'part') throw damaged(`${entry.name} is no part of it`)
  let text: Buffer
  try {
    text = await decompressed(await tar.content(entry), { maxOutputLength: MAX_PART_BYTES })
  } catch {
    throw damaged(`${entry.name} can't be decompressed`)
  }
  if (sha256(text) !== named.hash) throw damaged(`${entry.name} does not have this hash`)
  const lines = text.toString().split('\n')
  lines.pop()
  return { table: named.table, lines, bytes: text.length }
}

/** Returns the contents that follow a part of files, in their order. */
export const contentsIn = (lines: readonly string[]): Required<NamedContent>[] =>
  lines.flatMap((line) => {
    const { object_key, content } = JSON.parse(line) as NamedContent
    return content === undefined ? [] : [{ object_key, content }]
  })

interface Verified {
  header: Header
  /** The hash of the manifest. */
  hash: string
  rows: number
  files: number
}

/** Reads the header of an archive. */
export const openHeader = async (tar: TarFile): Promise<{ header: Header; nextAt: number }> => {
  const first = await tar.entryAt(0).catch(() => undefined)
  // An archive may be followed by anything; its header is small.
  const content =
    first !== undefined && first.sizeBytes < 1_000_000 ? await tar.content(first) : undefined
  const header = readHeader(first?.name ?? '', content ?? Buffer.alloc(0))
  return { header, nextAt: first?.nextAt ?? 0 }
}

/**
 * Reads all of an archive, and compares each hash and number in it.
 *
 * @throws DomainError `INVALID_ARGUMENT` for one that is cut off, changed, or of a newer version.
 */
export const verifyArchive = async (
  tar: TarFile,
  report: (bytes: number) => void = () => undefined,
): Promise<Verified> => {
  const { header, nextAt } = await openHeader(tar)
  const found: Manifest = { ...header, parts: [], files: { count: 0, bytes: 0 } }
  let rows = 0
  let place = nextAt
  let order = 0
  for (;;) {
    const entry = await entryAt(tar, place)
    place = entry.nextAt
    report(place)
    if (entry.name === MANIFEST) {
      const stored = await tar.content(entry)
      if (!stored.equals(textOf(found))) throw damaged('its manifest names other parts')
      return { header, hash: sha256(stored), rows, files: found.files.count }
    }
    const { table, lines, bytes } = await readPart(tar, entry)
    const position = MOVED.findIndex(({ name }) => name === table)
    if (position < order) throw damaged(`${entry.name} is out of order`)
    order = position
    found.parts.push({ name: entry.name, rows: lines.length, bytes })
    rows += lines.length
    if (table !== 'files') continue
    for (const { content } of contentsIn(lines)) {
      const file = await entryAt(tar, place)
      if (file.name !== contentName(content.sha256) || (await tar.hash(file)) !== content.sha256)
        throw damaged(`the content ${content.sha256} is missing or changed`)
      place = file.nextAt
      found.files.count++
      found.files.bytes += file.sizeBytes
      report(place)
    }
  }
}

/** Returns the entry at a place, of an archive that has not ended. */
export const entryAt = async (tar: TarFile, place: number): Promise<PlacedEntry> => {
  const entry = await tar.entryAt(place).catch((error: Error) => {
    throw damaged(error.message)
  })
  if (entry === undefined) throw damaged('it ends before its manifest')
  return entry
}
