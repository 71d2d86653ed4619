import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DomainError } from '../kernel/errors.js'
import { toPath } from './object-keys.js'
import type { Signatures } from './signatures.js'
import {
  type FileDescription,
  type FileStore,
  READ_SECONDS,
  UPLOAD_SECONDS,
  type UploadTarget,
} from './store.js'

export interface ByteRange {
  start: number
  /** The last byte, included. */
  end: number
}

/** Folder of uploads that are not complete yet. */
const INCOMING = 'incoming'

/** An upload that has not grown for so long belongs to no running process. */
const STALE_MS = 24 * 3_600_000

const DISK_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EMFILE', 'ENOENT'])

export const fileTooLarge = (mostBytes: number): DomainError =>
  new DomainError('TOO_LARGE', `file: expected at most ${mostBytes} bytes`)

/** Keeps files in a folder, each under a name made from its project and key, so that no key can name another path. */
export class LocalStore implements FileStore {
  readonly hasDirectUploads = false
  readonly #folder: string
  readonly #signatures: Signatures

  constructor(folder: string, signatures: Signatures) {
    this.#folder = folder
    this.#signatures = signatures
  }

  keyFor(_projectId: string, name: string): string {
    return name
  }

  upload(projectId: string, objectKey: string, { origin }: FileDescription): UploadTarget {
    const query = this.#signatures.sign('write', projectId, objectKey, UPLOAD_SECONDS)
    return {
      post: {
        url: `${urlOf(origin, projectId, objectKey)}?${query}`,
        fields: { key: objectKey },
        uploadType: 'multipart',
      },
    }
  }

  readUrl(projectId: string, objectKey: string, { origin }: FileDescription): string {
    const query = this.#signatures.sign('read', projectId, objectKey, READ_SECONDS)
    return `${urlOf(origin, projectId, objectKey)}?${query}`
  }

  /** Removes unfinished uploads of processes that have ended; other processes may be in the middle of theirs. */
  async clear(): Promise<void> {
    const folder = join(this.#folder, INCOMING)
    const names = await readdir(folder).catch(() => [])
    for (const name of names) {
      const path = join(folder, name)
      const found = await stat(path).catch(() => undefined)
      if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS)
        await rm(path, { recursive: true, force: true })
    }
  }

  /**
   * Writes a file whole or not at all: it appears under its name once all of it is on disk. Returns its size.
   * @throws DomainError `TOO_LARGE` when it has more than `mostBytes`.
   */
  async write(
    projectId: string,
    objectKey: string,
    content: Readable,
    mostBytes: number,
  ): Promise<number> {
    // It may fail before it is read below, which would end the process without a listener.
    content.on('error', () => undefined)
    const path = this.#path(projectId, objectKey)
    const partial = join(this.#folder, INCOMING, randomUUID())
    await mkdir(dirname(partial), { recursive: true })
    await mkdir(dirname(path), { recursive: true })
    let sizeBytes = 0
    const measure = new Transform({
      transform(chunk: Buffer, _, done) {
        sizeBytes += chunk.length
        if (sizeBytes > mostBytes) done(fileTooLarge(mostBytes))
        else done(null, chunk)
      },
    })
    try {
      const target = createWriteStream(partial, { flags: 'wx' })
      // Otherwise the file would be opened, and so created, after it was removed.
      await once(target, 'open')
      await pipeline(content, measure, target)
      const file = await open(partial, 'r+')
      await file.sync().finally(() => file.close())
      await rename(partial, path)
    } catch (error) {
      await rm(partial, { force: true })
      // A fault of the sender is not reported as one of the service; a fault of the disk is.
      if (
        !(error instanceof DomainError) &&
        !DISK_FAULTS.has(String((error as NodeJS.ErrnoException).code))
      )
        throw new DomainError('BAD_REQUEST', 'body: the upload broke off')
      throw error
    }
    return sizeBytes
  }

  /** Returns the file's size; undefined when it does not exist. */
  async size(projectId: string, objectKey: string): Promise<number | undefined> {
    try {
      return (await stat(this.#path(projectId, objectKey))).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async remove(projectId: string, objectKey: string): Promise<void> {
    await rm(this.#path(projectId, objectKey), { force: true })
  }

  async check(): Promise<void> {
    await mkdir(this.#folder, { recursive: true })
    await access(this.#folder, constants.R_OK | constants.W_OK | constants.X_OK)
  }

  read(projectId: string, objectKey: string, range: ByteRange): ReadableStream<Uint8Array> {
    const stream = createReadStream(this.#path(projectId, objectKey), range)
    return Readable.toWeb(stream) as ReadableStream<Uint8Array>
  }

  async open(projectId: string, objectKey: string): Promise<Readable | undefined> {
    const found = await this.size(projectId, objectKey)
    return found === undefined ? undefined : createReadStream(this.#path(projectId, objectKey))
  }

  async put(
    projectId: string,
    objectKey: string,
    content: Readable,
    sizeBytes: number,
  ): Promise<void> {
    await this.write(projectId, objectKey, content, sizeBytes)
  }

  #path(projectId: string, objectKey: string): string {
    const name = createHash('sha256')
      .update(JSON.stringify([projectId, objectKey]))
      .digest('hex')
    return join(this.#folder, name.slice(0, 2), name)
  }
}

const urlOf = (origin: string, projectId: string, objectKey: string) =>
  `${origin}/files/${projectId}/${toPath(objectKey)}`
