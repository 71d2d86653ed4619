import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { BLOCK_BYTES, paddingOf, readTarHeader, type TarEntry } from './header.js'

/** An entry, with the place of its content in the archive and the place of the next entry. */
export interface PlacedEntry extends TarEntry {
  contentAt: number
  nextAt: number
}

/** Reads the entries of a tar archive from wherever they are in a file. */
export class TarFile {
  static async open(path: string): Promise<TarFile> {
    const handle = await open(path, 'r')
    const { size } = await handle.stat()
    return new TarFile(path, handle, size)
  }

  readonly #path: string
  readonly #handle: FileHandle
  readonly sizeBytes: number

  private constructor(path: string, handle: FileHandle, sizeBytes: number) {
    this.#path = path
    this.#handle = handle
    this.sizeBytes = sizeBytes
  }

  /** Returns the entry at a place; undefined at the end of the archive. */
  async entryAt(place: number): Promise<PlacedEntry | undefined> {
    const entry = readTarHeader(await this.#bytes(place, BLOCK_BYTES))
    if (entry === undefined) return undefined
    const contentAt = place + BLOCK_BYTES
    const nextAt = contentAt + entry.sizeBytes + paddingOf(entry.sizeBytes)
    if (nextAt > this.sizeBytes) throw new Error('the archive ends in the middle of an entry')
    return { ...entry, contentAt, nextAt }
  }

  content({ contentAt, sizeBytes }: PlacedEntry): Promise<Buffer> {
    return this.#bytes(contentAt, sizeBytes)
  }

  stream({ contentAt, sizeBytes }: PlacedEntry): Readable {
    // A range of a file has at least a byte.
    return sizeBytes === 0
      ? Readable.from([])
      : createReadStream(this.#path, { start: contentAt, end: contentAt + sizeBytes - 1 })
  }

  /** Computes the hash of a content without holding it. */
  async hash(entry: PlacedEntry): Promise<string> {
    const hash = createHash('sha256')
    for await (const chunk of this.stream(entry)) hash.update(chunk as Buffer)
    return hash.digest('hex')
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async #bytes(place: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    const { bytesRead } = await this.#handle.read(bytes, 0, length, place)
    if (bytesRead < length) throw new Error('the archive ends in the middle of an entry')
    return bytes
  }
}
