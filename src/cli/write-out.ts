import fs from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder } from '../outbox/spool/make-folder.js'
import { UsageError } from './usage.js'

/** Why a file can't be written, by the system's code. */
const UNFIT: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOENT: 'no file can be made there',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'a part of its path is a file',
  EROFS: 'its file system can only be read',
  ENOSPC: 'there is no room left on its disk',
  EDQUOT: 'the quota of this user is used up',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links lead in a circle',
}

/** Returns the error of a file of `--out` that can't be written. */
export const unfit = (out: string, error: unknown): UsageError => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new UsageError(
    `--out: expected a file that can be written, got ${JSON.stringify(out)}: ${UNFIT[code] ?? message}; name another one`,
  )
}

/** Writes the file of `--out`, with the folders above it. */
export const writeOut = (out: string, content: string): void => {
  try {
    makeFolder(fs, dirname(resolve(out)), {})
    fs.writeFileSync(out, content)
  } catch (error) {
    throw unfit(out, error)
  }
}

/** Writes the file of `--out` and says so; `-` is the standard output, which then has the content alone. */
export const writeOutput = (out: string, content: string, said: string): void => {
  if (out !== '-') writeOut(out, content)
  process.stdout.write(out === '-' ? content : said)
}
