import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BucketLocation } from './bucket-location.js'
import { dispositionOf, safeType, servedType } from './media-types.js'
import { toPath } from './object-keys.js'
import { presignedForm, presignedUrl, type Signer } from './sigv4.js'
import {
  DEFAULT_MIME,
  type FileDescription,
  type FileStore,
  READ_SECONDS,
  UPLOAD_SECONDS,
  type UploadTarget,
} from './store.js'

const REQUEST_SECONDS = 60
const REQUEST_TIMEOUT_MS = 10_000

/**
 * Keeps files in a bucket of an S3-compatible store. Clients send and read them there: no byte passes through the
 * service.
 */
export class Bucket implements FileStore {
  readonly hasDirectUploads = true
  readonly #location: BucketLocation
  readonly #mostBytes: number
  readonly #now: () => Date

  constructor(location: BucketLocation, mostBytes: number, now = () => new Date()) {
    this.#location = location
    this.#mostBytes = mostBytes
    this.#now = now
  }

  keyFor(projectId: string, name: string): string {
    return `${this.#folder(projectId)}${name}`
  }

  upload(
    projectId: string,
    objectKey: string,
    { mime = DEFAULT_MIME }: FileDescription,
  ): UploadTarget {
    const key = this.#nameOf(projectId, objectKey)
    if (this.#location.upload === 'put')
      return {
        put: {
          url: presignedUrl(this.#signer(), 'PUT', this.#urlOf(key), UPLOAD_SECONDS),
          fields: { key: objectKey },
          uploadType: 'raw',
        },
      }
    const fields = {
      key,
      'Content-Type': safeType(mime),
      'Content-Disposition': dispositionOf(mime),
      success_action_status: '201',
    }
    return {
      post: {
        url: this.#urlOf('').href,
        fields: presignedForm(this.#signer(), this.#location.bucket, fields, {
          lifetimeSeconds: UPLOAD_SECONDS,
          mostBytes: this.#mostBytes,
        }),
        uploadType: 'multipart',
      },
    }
  }

  /** The URL sets the media type, as released clients upload with an invalid one. */
  readUrl(projectId: string, objectKey: string, { mime = DEFAULT_MIME }: FileDescription): string {
    const url = this.#urlOf(this.#nameOf(projectId, objectKey))
    return presignedUrl(this.#signer(), 'GET', url, READ_SECONDS, {
      'response-content-disposition': dispositionOf(mime),
      'response-content-type': servedType(mime),
    })
  }

  async open(projectId: string, objectKey: string): Promise<Readable | undefined> {
    const url = this.#urlOf(this.#nameOf(projectId, objectKey))
    const response = await fetch(presignedUrl(this.#signer(), 'GET', url, REQUEST_SECONDS))
    if (response.ok && response.body !== null) return Readable.fromWeb(response.body as never)
    await response.body?.cancel()
    if (response.status === 404) return undefined
    throw new Error(`the bucket answered ${response.status} when a file was to be read`)
  }

  /** Sends the size before the content: buckets take no upload without it. */
  async put(
    projectId: string,
    objectKey: string,
    content: Readable,
    sizeBytes: number,
  ): Promise<void> {
    const url = presignedUrl(
      this.#signer(),
      'PUT',
      this.#urlOf(this.#nameOf(projectId, objectKey)),
      REQUEST_SECONDS,
    )
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      method: 'PUT',
      headers: { 'content-length': sizeBytes },
    })
    const answered = once(request, 'response') as Promise<[IncomingMessage]>
    const [[response]] = await Promise.all([answered, pipeline(content, request)])
    response.resume()
    if (response.statusCode === undefined || response.statusCode >= 300)
      throw new Error(`the bucket answered ${response.statusCode} when a file was to be stored`)
  }

  async remove(projectId: string, objectKey: string): Promise<void> {
    const url = this.#urlOf(this.#nameOf(projectId, objectKey))
    const response = await fetch(presignedUrl(this.#signer(), 'DELETE', url, REQUEST_SECONDS), {
      method: 'DELETE',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok && response.status !== 404)
      throw new Error(`the bucket answered ${response.status} when a file was to be removed`)
  }

  /** Asks for a file that never exists. A key without the right to list gets 403 for it, so any answer will do but a fault. */
  async check(): Promise<void> {
    const url = this.#urlOf(`${this.#location.prefix}.health`)
    const response = await fetch(presignedUrl(this.#signer(), 'GET', url, REQUEST_SECONDS), {
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (response.status >= 500) throw new Error(`the bucket answered ${response.status}`)
  }

  #folder(projectId: string): string {
    return `${this.#location.prefix}${projectId}/`
  }

  /**
   * Returns the name in the bucket. Clients may send a key that the service never made; it too leads into the project's
   * folder.
   */
  #nameOf(projectId: string, objectKey: string): string {
    const folder = this.#folder(projectId)
    const name = objectKey.startsWith(folder) ? objectKey.slice(folder.length) : objectKey
    return `${folder}${toPath(name)}`
  }

  #urlOf(key: string): URL {
    return new URL(`${this.#location.baseUrl}${key}`)
  }

  #signer(): Signer {
    const { credentials, region } = this.#location
    return { credentials, region, now: this.#now() }
  }
}
