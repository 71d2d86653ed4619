import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** What is safe in a path, a URL and a bucket's key alike. Anything else is replaced by its hash. */
const PLAIN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/
/** So that a name is safe with what stands before it too. */
const MAX_NAME_LENGTH = 150
const RANDOM_BYTES = 12

const segment = (text: string) =>
  PLAIN.test(text) && text.length <= MAX_NAME_LENGTH
    ? text
    : createHash('sha256').update(text).digest('hex').slice(0, 40)

/**
 * The key under which an upload is kept in its project: another one each time, so that nobody overwrites what somebody
 * else uploaded under the same name, or learns from the key that there was one.
 */
export const objectKeyFor = (threadId: string | undefined, fileName: string | undefined): string =>
  `${threadId === undefined ? 'files' : `threads/${segment(threadId)}`}/${randomBytes(RANDOM_BYTES).toString('base64url')}-${segment(fileName || randomUUID())}`

/** A key as a URL's path. Keys that are none of ours, which clients may name, are written so that no path can be made of them. */
export const toPath = (objectKey: string): string =>
  objectKey.split('/').every((part) => PLAIN.test(part))
    ? objectKey
    : `~${Buffer.from(objectKey).toString('base64url')}`

export const fromPath = (path: string): string =>
  path.startsWith('~') ? Buffer.from(path.slice(1), 'base64url').toString() : path
