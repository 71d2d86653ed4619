import { BLOCK_BYTES, paddingOf, readTarHeader, type TarEntry } from './header.js'

/** The bytes of a stream, in pieces of any wanted size. */
class Bytes {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Returns up to so many bytes; undefined at the end. */
  async some(most: number): Promise<Buffer | undefined> {
    if (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done === true) return undefined
      this.#rest = value
    }
    const some = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(some.length)
    return some
  }

  /** Hands over so many bytes. */
  async *take(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; ) {
      const some = await this.some(left)
      if (some === undefined) throw new Error('the archive ends in the middle of an entry')
      left -= some.length
      yield some
    }
  }
}

const all = async (pieces: AsyncIterable<Buffer>): Promise<Buffer> => {
  const taken: Buffer[] = []
  for await (const piece of pieces) taken.push(piece)
  return Buffer.concat(taken)
}

/** Reads the entries of a tar archive from a stream, one after another. The handler takes all of a content. */
export const readTar = async (
  stream: AsyncIterable<Buffer>,
  handle: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const bytes = new Bytes(stream)
  for (;;) {
    const entry = readTarHeader(await all(bytes.take(BLOCK_BYTES)))
    if (entry === undefined) break
    await handle(entry, bytes.take(entry.sizeBytes))
    await all(bytes.take(paddingOf(entry.sizeBytes)))
  }
  // The end of the stream has the sum of its bytes, which is checked once they are read.
  while ((await bytes.some(BLOCK_BYTES)) !== undefined);
}
