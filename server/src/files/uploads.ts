import type { Readable } from 'node:stream'
import type { Database } from '../database/database.js'
import { DomainError } from '../kernel/errors.js'
import type { Limits } from '../kernel/limits.js'
import { completeFile, findAttachedType, findFile } from '../storage/files.js'
import { type ByteRange, fileTooLarge, type LocalStore } from './local-store.js'
import type { Signatures } from './signatures.js'
import { DEFAULT_MIME } from './store.js'

export interface StoredFile {
  mime: string
  sizeBytes: number
  read: (range: ByteRange) => ReadableStream<Uint8Array>
}

/** Uploads to and downloads from the service itself, if it keeps the files. */
export class Uploads {
  readonly #db: Database
  readonly #store: LocalStore
  readonly #signatures: Signatures
  readonly #limits: Limits

  constructor(db: Database, store: LocalStore, signatures: Signatures, limits: Limits) {
    this.#db = db
    this.#store = store
    this.#signatures = signatures
    this.#limits = limits
  }

  /** Rejects an upload whose URL was not signed here, or that nobody announced. */
  async expect(projectId: string, objectKey: string, query: URLSearchParams): Promise<void> {
    this.#signatures.check('write', projectId, objectKey, query)
    if ((await findFile(this.#db, projectId, objectKey)) === undefined)
      throw new DomainError('NOT_FOUND', 'file: no upload was announced under this key')
  }

  /** Rejects an upload that is known to be too large, rather than once a gigabyte of it came. */
  expectSize(bytes: number): void {
    const { fileBytes } = this.#limits
    if (bytes > fileBytes) throw fileTooLarge(fileBytes)
  }

  /**
   * Stores an upload that was expected.
   * @throws DomainError `NOT_FOUND` when what it belongs to was deleted while it came: nothing would ever find its bytes.
   */
  async receive(projectId: string, objectKey: string, content: Readable): Promise<void> {
    const sizeBytes = await this.#store.write(projectId, objectKey, content, this.#limits.fileBytes)
    if (await completeFile(this.#db, projectId, objectKey, sizeBytes)) return
    await this.#store.remove(projectId, objectKey)
    throw new DomainError('NOT_FOUND', 'file: it was deleted while it was uploaded')
  }

  /** Returns a file whose URL was signed; undefined when it was never uploaded. */
  async find(
    projectId: string,
    objectKey: string,
    query: URLSearchParams,
  ): Promise<StoredFile | undefined> {
    this.#signatures.check('read', projectId, objectKey, query)
    const file = await findFile(this.#db, projectId, objectKey)
    const sizeBytes = file === undefined ? undefined : await this.#store.size(projectId, objectKey)
    if (file === undefined || sizeBytes === undefined) return undefined
    // Python clients send the type of an upload only with the attachment.
    const attached =
      file.mime === DEFAULT_MIME
        ? await findAttachedType(this.#db, projectId, objectKey)
        : undefined
    return {
      mime: attached ?? file.mime,
      sizeBytes,
      read: (range) => this.#store.read(projectId, objectKey, range),
    }
  }
}
