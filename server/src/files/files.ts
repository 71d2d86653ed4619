import type { Database } from '../database/database.js'
import type { Clock } from '../kernel/instant.js'
import {
  announceFile,
  checkFilesAt,
  type DueFile,
  deleteFiles,
  findDueFiles,
  findKeysOfProject,
  findReferredKeys,
  keepFiles,
  tryToCollect,
} from '../storage/files.js'
import { objectKeyFor } from './object-keys.js'
import {
  DEFAULT_MIME,
  DIRECT_UPLOAD_MS,
  type FileDescription,
  type FileStore,
  UPLOAD_SECONDS,
  type UploadTarget,
} from './store.js'

/** Time that an upload may stay without anything that refers to it. */
const UNUSED_MS = 24 * 3_600_000
/** Files that one transaction checks. */
const MAX_AT_ONCE = 200
/** Files that are removed at once, if that is a request each. */
const REMOVED_AT_ONCE = 10

/** Uploads and downloads by signed URL, wherever the files are stored. */
export class Files {
  readonly #db: Database
  readonly #store: FileStore
  readonly #clock: Clock

  constructor(db: Database, store: FileStore, clock: Clock) {
    this.#db = db
    this.#store = store
    this.#clock = clock
  }

  /**
   * Prepares an upload: returns where and how to send it, and the URL to read it from later. `address` is the same URL
   * without its signature.
   */
  async announce(
    projectId: string,
    origin: string,
    file: { fileName: string | undefined; mime: string | undefined; threadId: string | undefined },
  ): Promise<{ target: UploadTarget; readUrl: string; address: string }> {
    const objectKey = this.#store.keyFor(projectId, objectKeyFor(file.threadId, file.fileName))
    await announceFile(this.#db, projectId, {
      objectKey,
      mime: file.mime || DEFAULT_MIME,
      createdAt: this.#clock(),
      checkAt: new Date(Date.now() + UNUSED_MS).toISOString(),
    })
    const description = { mime: file.mime, origin }
    const readUrl = this.readUrl(projectId, objectKey, description)
    const { origin: place, pathname } = new URL(readUrl)
    return {
      target: this.#store.upload(projectId, objectKey, description),
      readUrl,
      address: `${place}${pathname}`,
    }
  }

  readUrl(projectId: string, objectKey: string, file: FileDescription): string {
    return this.#store.readUrl(projectId, objectKey, file)
  }

  /**
   * Deletes files that nothing refers to: those of deleted attachments, and uploads of more than a day ago that nobody
   * attached. Returns their number. Of several processes that try at once, one does it.
   */
  async collect(now = new Date()): Promise<number> {
    let deleted = 0
    for (;;) {
      const { due, gone } = await this.#db.transaction().execute(async (transaction) => {
        if (!(await tryToCollect(transaction))) return { due: 0, gone: 0 }
        const due = await findDueFiles(transaction, now.toISOString(), MAX_AT_ONCE)
        let gone = 0
        for (const files of byProject(due)) gone += await this.#collectOf(transaction, files, now)
        return { due: due.length, gone }
      })
      deleted += gone
      if (due < MAX_AT_ONCE) return deleted
    }
  }

  /** Deletes those files of one project that nothing refers to. */
  async #collectOf(db: Database, files: readonly DueFile[], now: Date): Promise<number> {
    const [first] = files
    if (first === undefined) return 0
    const { projectId } = first
    const used = new Set(await findReferredKeys(db, projectId, keysOf(files)))
    if (used.size > 0) await keepFiles(db, projectId, [...used])
    const unused = files.filter(({ objectKey }) => !used.has(objectKey))
    // First, so that an upload that ends now waits for this transaction, and then finds no note. The bytes go before the
    // transaction ends: a noted file without bytes is checked again, but bytes without a note would stay for ever.
    const coming = unused.filter((file) => this.#endOfUpload(file) > now.getTime())
    const over = unused.filter((file) => this.#endOfUpload(file) <= now.getTime())
    if (over.length > 0) await deleteFiles(db, projectId, keysOf(over))
    // Bytes that come past the service from now on go with a later check.
    if (coming.length > 0)
      await checkFilesAt(
        db,
        projectId,
        coming.map((file) => ({
          objectKey: file.objectKey,
          checkAt: new Date(this.#endOfUpload(file)).toISOString(),
        })),
      )
    await this.remove(projectId, keysOf(unused))
    return unused.length
  }

  /** Returns the time until which a deleted file may come again. */
  #endOfUpload({ createdAt }: DueFile): number {
    return this.#store.hasDirectUploads ? Date.parse(createdAt) + DIRECT_UPLOAD_MS : 0
  }

  /** Deletes all files of a project around its own deletion, which forgets their keys. */
  async removeAll(
    projectId: string,
    deleteProject: (removeFiles: Files['remove']) => Promise<void>,
  ): Promise<void> {
    const removed = new Set(await findKeysOfProject(this.#db, projectId))
    await this.remove(projectId, [...removed])
    // Those that may still come until the keys are gone.
    const since = new Date(Date.now() - UPLOAD_SECONDS * 1000).toISOString()
    const coming = await findKeysOfProject(this.#db, projectId, since)
    // Those that were announced in between have nothing else that leads to them.
    await deleteProject((_, keys) =>
      this.remove(
        projectId,
        keys.filter((key) => !removed.has(key)),
      ),
    )
    await this.remove(projectId, coming)
  }

  /** Removes the contents of files. */
  async remove(projectId: string, keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE)
      await Promise.all(
        keys.slice(from, from + REMOVED_AT_ONCE).map((key) => this.#store.remove(projectId, key)),
      )
  }
}

const keysOf = (files: readonly DueFile[]): string[] => files.map(({ objectKey }) => objectKey)

const byProject = (files: readonly DueFile[]): DueFile[][] => {
  const projects = new Map<string, DueFile[]>()
  for (const file of files) {
    const known = projects.get(file.projectId)
    if (known === undefined) projects.set(file.projectId, [file])
    else known.push(file)
  }
  return [...projects.values()]
}
