import { createHmac, timingSafeEqual } from 'node:crypto'
import { DomainError } from '../kernel/errors.js'

export type Access = 'read' | 'write'

/** Signs URLs of files, so that they open one file for a limited time without an API key. */
export class Signatures {
  readonly #secret: string
  readonly #now: () => number

  constructor(secret: string, now: () => number = Date.now) {
    this.#secret = secret
    this.#now = now
  }

  /**
   * Returns the query that opens a file. It starts with `X-Amz-Date`, as released clients cut there when they compare
   * two URLs of one file.
   */
  sign(access: Access, projectId: string, objectKey: string, lifetimeSeconds: number): string {
    const now = new Date(this.#now())
    const date = now.toISOString().replace(/[-:]|\.\d+/g, '')
    const expires = Math.floor(now.getTime() / 1000) + lifetimeSeconds
    const signature = this.#signature(access, projectId, objectKey, expires)
    return `X-Amz-Date=${date}&access=${access}&expires=${expires}&signature=${signature}`
  }

  check(access: Access, projectId: string, objectKey: string, query: URLSearchParams): void {
    const expires = Number(query.get('expires'))
    const given = Buffer.from(query.get('signature') ?? '')
    const expected = Buffer.from(this.#signature(access, projectId, objectKey, expires))
    if (
      query.get('access') !== access ||
      given.length !== expected.length ||
      !timingSafeEqual(given, expected)
    )
      throw new DomainError(
        'FORBIDDEN',
        `signature: expected that of a presigned URL to ${access} this file`,
      )
    if (expires * 1000 < this.#now())
      throw new DomainError(
        'FORBIDDEN',
        `expires: the URL was valid until ${new Date(expires * 1000).toISOString()}; ask for a new one`,
      )
  }

  #signature(access: Access, projectId: string, objectKey: string, expires: number): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([access, projectId, objectKey, expires]))
      .digest('base64url')
  }
}
