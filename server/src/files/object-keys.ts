import { createHash, randomBytes, randomUUID } from 'node:crypto'

/** Names that are safe in a path, a URL and a bucket's key alike. Others are replaced by their hash. */
const PLAIN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/
/** Short enough that a name stays safe with its prefix. */
const MAX_NAME_LENGTH = 150
const RANDOM_BYTES = 12

const segment = (text: string) =>
  PLAIN.test(text) && text.length <= MAX_NAME_LENGTH
    ? text
    : createHash('sha256').update(text).digest('hex').slice(0, 40)

/**
 * Returns the key of an upload in its project. It is different each time, so that nobody overwrites a file that
 * somebody else uploaded under the same name, or learns from the key that there was one.
 */
export const objectKeyFor = (threadId: string | undefined, fileName: string | undefined): string =>
  `${threadId === undefined ? 'files' : `threads/${segment(threadId)}`}/${randomBytes(RANDOM_BYTES).toString('base64url')}-${segment(fileName || randomUUID())}`

/**
 * Writes a key as a URL's path. Clients may send keys that the service never made; these are written so that no path
 * can be made of them.
 */
export const toPath = (objectKey: string): string =>
  objectKey.split('/').every((part) => PLAIN.test(part))
    ? objectKey
    : `~${Buffer.from(objectKey).toString('base64url')}`

export const fromPath = (path: string): string =>
  path.startsWith('~') ? Buffer.from(path.slice(1), 'base64url').toString() : path
