import type { Readable } from 'node:stream'
import { DomainError } from '../domain/errors.js'
import type { Clock } from '../domain/instant.js'
import type { Limits } from '../domain/limits.js'
import type { Database } from '../storage/database.js'
import {
  announceFile,
  completeFile,
  type DueFile,
  deleteFiles,
  findFile,
  findKeysOfProject,
  findReferredKeys,
  keepFiles,
  lockDueFiles,
} from '../storage/files.js'
import type { ByteRange, LocalStore } from './local-store.js'
import { objectKeyFor, toPath } from './object-keys.js'
import type { Signatures } from './signatures.js'

const UPLOAD_SECONDS = 60 * 60
const READ_SECONDS = 7 * 24 * 60 * 60
/** How long an upload may stay without anything that refers to it. */
const UNUSED_MS = 24 * 3_600_000
/** Files that are looked at in one transaction. */
const MOST_AT_ONCE = 200
const DEFAULT_MIME = 'application/octet-stream'

export interface StoredFile {
  mime: string
  sizeBytes: number
  read: (range: ByteRange) => ReadableStream<Uint8Array>
}

/** Uploads and downloads by signed URL. */
export class Files {
  readonly #db: Database
  readonly #store: LocalStore
  readonly #signatures: Signatures
  readonly #clock: Clock
  readonly #limits: Limits

  constructor(
    db: Database,
    store: LocalStore,
    signatures: Signatures,
    clock: Clock,
    limits: Limits,
  ) {
    this.#db = db
    this.#store = store
    this.#signatures = signatures
    this.#clock = clock
    this.#limits = limits
  }

  /** Prepares an upload: its key, where to send it, and where it can be read from then on. */
  async announce(
    projectId: string,
    origin: string,
    file: { fileName: string | undefined; mime: string | undefined; threadId: string | undefined },
  ): Promise<{ objectKey: string; uploadUrl: string; readUrl: string }> {
    const objectKey = objectKeyFor(file.threadId, file.fileName)
    await announceFile(this.#db, projectId, {
      objectKey,
      mime: file.mime || DEFAULT_MIME,
      createdAt: this.#clock(),
      checkAt: new Date(Date.now() + UNUSED_MS).toISOString(),
    })
    const query = this.#signatures.sign('write', projectId, objectKey, UPLOAD_SECONDS)
    return {
      objectKey,
      uploadUrl: `${urlOf(origin, projectId, objectKey)}?${query}`,
      readUrl: this.readUrl(projectId, origin, objectKey),
    }
  }

  readUrl(projectId: string, origin: string, objectKey: string): string {
    return `${urlOf(origin, projectId, objectKey)}?${this.#signatures.sign('read', projectId, objectKey, READ_SECONDS)}`
  }

  /** Refuses an upload whose URL was not signed here, or that nobody announced. */
  async expect(projectId: string, objectKey: string, query: URLSearchParams): Promise<void> {
    this.#signatures.check('write', projectId, objectKey, query)
    if ((await findFile(this.#db, projectId, objectKey)) === undefined)
      throw new DomainError('NOT_FOUND', 'file: no upload was announced under this key')
  }

  /** Stores an upload that was expected. */
  async receive(projectId: string, objectKey: string, content: Readable): Promise<void> {
    const sizeBytes = await this.#store.write(projectId, objectKey, content, this.#limits.fileBytes)
    await completeFile(this.#db, projectId, objectKey, sizeBytes)
  }

  /**
   * Deletes files that nothing refers to: those of what was deleted, and uploads of more than a day ago that nobody
   * attached. Gives how many. Several processes may do so at once.
   */
  async collect(now = new Date()): Promise<number> {
    let deleted = 0
    for (;;) {
      const { due, gone } = await this.#db.transaction().execute(async (transaction) => {
        const due = await lockDueFiles(transaction, now.toISOString(), MOST_AT_ONCE)
        let gone = 0
        for (const [projectId, keys] of byProject(due))
          gone += await this.#collectOf(transaction, projectId, keys)
        return { due: due.length, gone }
      })
      deleted += gone
      if (due < MOST_AT_ONCE) return deleted
    }
  }

  async #collectOf(db: Database, projectId: string, keys: readonly string[]): Promise<number> {
    const used = new Set(await findReferredKeys(db, projectId, keys))
    const unused = keys.filter((key) => !used.has(key))
    if (used.size > 0) await keepFiles(db, projectId, [...used])
    // The bytes first: what is noted and not there is looked at again, and what is there and not noted never is.
    for (const key of unused) await this.#store.remove(projectId, key)
    if (unused.length > 0) await deleteFiles(db, projectId, unused)
    return unused.length
  }

  /** Deletes all files of a project. */
  async removeAll(projectId: string): Promise<void> {
    for (const key of await findKeysOfProject(this.#db, projectId))
      await this.#store.remove(projectId, key)
  }

  /** A file whose URL was signed; undefined when it was never uploaded. */
  async find(
    projectId: string,
    objectKey: string,
    query: URLSearchParams,
  ): Promise<StoredFile | undefined> {
    this.#signatures.check('read', projectId, objectKey, query)
    const file = await findFile(this.#db, projectId, objectKey)
    const sizeBytes = file === undefined ? undefined : await this.#store.size(projectId, objectKey)
    if (file === undefined || sizeBytes === undefined) return undefined
    return {
      mime: file.mime,
      sizeBytes,
      read: (range) => this.#store.read(projectId, objectKey, range),
    }
  }
}

const byProject = (files: readonly DueFile[]): Map<string, string[]> => {
  const projects = new Map<string, string[]>()
  for (const { projectId, objectKey } of files)
    projects.set(projectId, [...(projects.get(projectId) ?? []), objectKey])
  return projects
}

const urlOf = (origin: string, projectId: string, objectKey: string) =>
  `${origin}/files/${projectId}/${toPath(objectKey)}`
