import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { paddingOf, TAR_END, tarHeader } from './header.js'

/** Writes a tar archive to a stream, no faster than it takes. */
export class TarWriter {
  readonly #out: Writable
  #failure: Error | undefined
  /** The bytes that were written so far. */
  bytes = 0

  constructor(out: Writable) {
    this.#out = out
    out.on('error', (error: Error) => {
      this.#failure = error
    })
  }

  folder(name: string): Promise<void> {
    return this.#write(tarHeader({ name, sizeBytes: 0, isFolder: true }))
  }

  async file(name: string, content: Buffer): Promise<void> {
    await this.#write(tarHeader({ name, sizeBytes: content.length, isFolder: false }))
    await this.#write(content)
    await this.#pad(content.length)
  }

  /** Writes a file of a known size as it is read. */
  async stream(name: string, sizeBytes: number, content: AsyncIterable<Buffer>): Promise<void> {
    await this.#write(tarHeader({ name, sizeBytes, isFolder: false }))
    let written = 0
    for await (const chunk of content) {
      written += chunk.length
      await this.#write(chunk)
    }
    if (written !== sizeBytes)
      throw new Error(
        `${name} changed while it was read; expected ${sizeBytes} bytes, got ${written}`,
      )
    await this.#pad(sizeBytes)
  }

  async end(): Promise<void> {
    await this.#write(TAR_END)
    this.#out.end()
    if (this.#failure !== undefined) throw this.#failure
    if (!this.#out.writableFinished) await once(this.#out, 'finish')
  }

  async #pad(sizeBytes: number): Promise<void> {
    const padding = paddingOf(sizeBytes)
    if (padding > 0) await this.#write(Buffer.alloc(padding))
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    this.bytes += bytes.length
    // A stream that fails emits an error instead, which `once` rejects with.
    if (!this.#out.write(bytes)) await once(this.#out, 'drain')
  }
}
