import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { SettingsError } from '../../settings.js'
import { whenInterrupted } from './interrupted.js'
import { unwritten } from './unwritten.js'

/**
 * Writes a file that appears under its name once it is complete, and is for its owner only; `-` is the standard output.
 *
 * @throws Error when there is a file of this name, or no room for it.
 */
export const writeWhole = async <Result>(
  path: string,
  work: (out: Writable) => Promise<Result>,
): Promise<Result> => {
  if (path === '-') return work(process.stdout)
  demandFree(path)
  // A name of its own: another process may write a file for the same path.
  const partial = `${path}.${randomUUID().slice(0, 8)}.partial`
  const remove = () => rm(partial, { force: true })
  const takeBack = whenInterrupted(remove)
  try {
    const out = createWriteStream(partial, { mode: 0o600 })
    await once(out, 'open')
    const result = await work(out)
    const file = await open(partial, 'r+')
    await file.sync().finally(() => file.close())
    // Unlike a renamed file, a link replaces none that came meanwhile. Some file systems have none.
    await link(partial, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw taken(path)
      return rename(partial, path)
    })
    return result
  } catch (error) {
    throw unwritten(path, partial, error)
  } finally {
    await remove()
    takeBack()
  }
}

const taken = (path: string) => new Error(`${path} exists already; name another file with --out`)

/** Rejects the name of a file that can't be written, before the work that it is for. */
export const demandFree = (path: string): void => {
  if (path === '')
    throw new SettingsError(
      '--out: expected a file, or - for the standard output, got an empty text',
    )
  if (path !== '-' && existsSync(path)) throw taken(path)
}
