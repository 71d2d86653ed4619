import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const SIZE_AT = 124
const SIZE_BYTES = 12
const TYPE_AT = 156
const FOLDER = '5'

/**
 * Writes the files of a database, archived in the tar format, to a new folder that only its owner can read. Names are
 * relative to the folder, and shorter than a header's field.
 */
export const unpackDatabase = async (archive: ArrayBuffer, folder: string): Promise<void> => {
  await mkdir(folder, { mode: 0o700 })
  const bytes = Buffer.from(archive)
  let at = 0
  while (at + BLOCK_BYTES <= bytes.length && bytes[at] !== 0) {
    const name = textAt(bytes, at, NAME_BYTES)
    const size = Number.parseInt(textAt(bytes, at + SIZE_AT, SIZE_BYTES), 8)
    const isFolder = String.fromCharCode(bytes[at + TYPE_AT] ?? 0) === FOLDER
    at += BLOCK_BYTES
    const path = join(folder, name)
    if (isFolder) await mkdir(path, { mode: 0o700 })
    // Names a process that uses the database: the one that archived it.
    else if (!name.endsWith('postmaster.pid'))
      await writeFile(path, bytes.subarray(at, at + size), { mode: 0o600 })
    at += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
  }
}

const textAt = (bytes: Buffer, at: number, length: number): string => {
  const end = bytes.indexOf(0, at)
  return bytes.toString('latin1', at, end === -1 ? at + length : Math.min(end, at + length)).trim()
}
