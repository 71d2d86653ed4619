import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EmscriptenModule } from './module.js'

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const TYPE_AT = 156
const FOLDER = '5'

/** A file or a folder of an archive. */
interface Entry {
  /** Relative to the folder of the database. */
  name: string
  /** Undefined for a folder. */
  content: Uint8Array | undefined
}

/** Reads an archive in the tar format. Folders come before their files; names are shorter than a header's field. */
function* entriesOf(archive: Uint8Array): Generator<Entry> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  let at = 0
  while (at + BLOCK_BYTES <= bytes.length && bytes[at] !== 0) {
    const name = textAt(bytes, at, NAME_BYTES)
    const size = Number.parseInt(textAt(bytes, at + SIZE_AT, SIZE_BYTES), 8)
    const isFolder = String.fromCharCode(bytes[at + TYPE_AT] ?? 0) === FOLDER
    at += BLOCK_BYTES
    // Names a process that uses the database: the one that archived it.
    if (!name.endsWith('postmaster.pid'))
      yield { name, content: isFolder ? undefined : bytes.subarray(at, at + size) }
    at += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
}

const textAt = (bytes: Buffer, at: number, length: number): string => {
  const end = bytes.indexOf(0, at)
  return bytes.toString('latin1', at, end === -1 ? at + length : Math.min(end, at + length)).trim()
}

/** Writes the files of an archived database to a new folder that only its owner can read. */
export const unpackDatabase = async (archive: Uint8Array, folder: string): Promise<void> => {
  await mkdir(folder, { mode: 0o700 })
  for (const { name, content } of entriesOf(archive)) {
    const path = join(folder, name)
    if (content === undefined) await mkdir(path, { mode: 0o700 })
    else await writeFile(path, content, { mode: 0o600 })
  }
}

/** Puts the files of an archived database into an engine's memory. They stay views of the archive until they grow. */
export const loadDatabase = (
  archive: Uint8Array,
  { FS }: Pick<EmscriptenModule, 'FS'>,
  folder: string,
): void => {
  FS.mkdirTree(dirname(folder))
  FS.mkdir(folder, 0o700)
  for (const { name, content } of entriesOf(archive)) {
    const path = `${folder}/${name}`
    if (content === undefined) FS.mkdir(path, 0o700)
    else FS.writeFile(path, content, { mode: 0o600, canOwn: true })
  }
}
