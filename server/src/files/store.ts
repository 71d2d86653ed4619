import type { Readable } from 'node:stream'

/** The way in which a client uploads a file: the one member that the signing call answers with. */
export type UploadTarget =
  | { post: { url: string; fields: Record<string, string>; uploadType: 'multipart' } }
  | { put: { url: string; fields: { key: string }; uploadType: 'raw' } }

export interface FileDescription {
  /** The media type from the announcement or the attachment; undefined when neither names one. */
  mime: string | undefined
  /** The address under which clients reach the service. */
  origin: string
}

/** Stores files. Signing needs no network, so that lists of attachments cost nothing. */
export interface FileStore {
  /** True when uploads reach the store past the service, which can reject none of them once it has signed it. */
  readonly hasDirectUploads: boolean
  /** Returns the key that clients keep for a file of a project, by its plain name. */
  keyFor(projectId: string, name: string): string
  upload(projectId: string, objectKey: string, file: FileDescription): UploadTarget
  readUrl(projectId: string, objectKey: string, file: FileDescription): string
  /** Opens a file for a reader of all of it; undefined when there is none. */
  open(projectId: string, objectKey: string): Promise<Readable | undefined>
  /** Stores a file of a known size, whole or not at all. */
  put(projectId: string, objectKey: string, content: Readable, sizeBytes: number): Promise<void>
  /** Removes a file; succeeds when there is none. */
  remove(projectId: string, objectKey: string): Promise<void>
  /** Fails when files can be neither stored nor read now. */
  check(): Promise<void>
}

/** Lifetime of a URL to upload to. */
export const UPLOAD_SECONDS = 60 * 60
/** Time after the signing of an upload in which it may reach a store past the service: an hour to begin, and one to end. */
export const DIRECT_UPLOAD_MS = 2 * UPLOAD_SECONDS * 1000
/** Lifetime of a URL to read from: the longest that buckets allow. */
export const READ_SECONDS = 7 * 24 * 60 * 60
export const DEFAULT_MIME = 'application/octet-stream'
