/** How a client uploads a file: the one member that the signing call answers with. */
export type UploadTarget =
  | { post: { url: string; fields: Record<string, string>; uploadType: 'multipart' } }
  | { put: { url: string; fields: { key: string }; uploadType: 'raw' } }

export interface FileDescription {
  /** The media type that was announced or that the attachment says; undefined when nobody said. */
  mime: string | undefined
  /** Where clients reach the service. */
  origin: string
}

/** Where files are kept. Signing needs no network, so that lists of attachments cost nothing. */
export interface FileStore {
  /** The key that clients keep for a file of a project, by its plain name. */
  keyFor(projectId: string, name: string): string
  upload(projectId: string, objectKey: string, file: FileDescription): UploadTarget
  readUrl(projectId: string, objectKey: string, file: FileDescription): string
  /** Removes a file; one that is not there is as good as removed. */
  remove(projectId: string, objectKey: string): Promise<void>
}

/** How long a URL to upload by is good. */
export const UPLOAD_SECONDS = 60 * 60
/** How long a URL to read from is good: as long as buckets let one be. */
export const READ_SECONDS = 7 * 24 * 60 * 60
export const DEFAULT_MIME = 'application/octet-stream'
