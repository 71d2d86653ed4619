import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'

/**
 * Writes a file that appears under its name once it is complete, and is for its owner only; `-` is the standard output.
 *
 * @throws Error when there is a file of this name.
 */
export const writeWhole = async <Result>(
  path: string,
  work: (out: Writable) => Promise<Result>,
): Promise<Result> => {
  if (path === '-') return work(process.stdout)
  if (existsSync(path)) throw new Error(`${path} exists already; name another file with --out`)
  const partial = `${path}.partial`
  try {
    const out = createWriteStream(partial, { mode: 0o600 })
    await once(out, 'open')
    const result = await work(out)
    const file = await open(partial, 'r+')
    await file.sync().finally(() => file.close())
    // Unlike a renamed file, a link replaces none that came meanwhile.
    await link(partial, path).catch(() => rename(partial, path))
    await rm(partial, { force: true })
    return result
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
