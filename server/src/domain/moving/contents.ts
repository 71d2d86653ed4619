import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { invalid } from '../../kernel/errors.js'

/** The contents of files, wherever they are. */
export interface ContentStore {
  /** Opens a file for a reader of all of it; undefined when there is none. */
  open(projectId: string, objectKey: string): Promise<Readable | undefined>
  /** Stores a file whole or not at all. */
  put(projectId: string, objectKey: string, content: Readable, sizeBytes: number): Promise<void>
}

/** Reads a content to its end. */
export const measure = async (content: Readable): Promise<{ hash: string; bytes: number }> => {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of content) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { hash: hash.digest('hex'), bytes }
}

/** Hands on a content, and fails before its end if it is not the one of a hash. */
export const checked = (expected: string): Transform => {
  const hash = createHash('sha256')
  return new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      done(
        hash.digest('hex') === expected
          ? null
          : invalid(
              `FILE: the content ${expected} does not have this hash; the archive is damaged`,
            ),
      )
    },
  })
}
