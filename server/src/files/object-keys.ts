import { createHash, randomUUID } from 'node:crypto'

/** What is safe in a path, a URL and a bucket's key alike. Anything else is replaced by its hash. */
const PLAIN = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/

const segment = (text: string) =>
  PLAIN.test(text) ? text : createHash('sha256').update(text).digest('hex').slice(0, 40)

/** The key under which an upload is kept in its project. The same thread and file name give the same key again. */
export const objectKeyFor = (threadId: string | undefined, fileName: string | undefined): string =>
  `${threadId === undefined ? 'files' : `threads/${segment(threadId)}`}/${segment(fileName || randomUUID())}`

/** A key as a URL's path. Keys that are none of ours, which clients may name, are written so that no path can be made of them. */
export const toPath = (objectKey: string): string =>
  objectKey.split('/').every((part) => PLAIN.test(part))
    ? objectKey
    : `~${Buffer.from(objectKey).toString('base64url')}`

export const fromPath = (path: string): string =>
  path.startsWith('~') ? Buffer.from(path.slice(1), 'base64url').toString() : path
