import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/**
 * Makes a folder and those above it, for their owner alone. Node's own recursive way tries for ever where a folder is there
 * and takes none, as /proc does.
 */
export const makeFolder = async (folder: string): Promise<void> => {
  const missing: string[] = []
  let path = resolve(folder)
  while (!(await makeOne(path))) {
    missing.push(path)
    if (dirname(path) === path) break
    path = dirname(path)
  }
  for (const below of missing.reverse())
    await mkdir(below, { mode: 0o700 }).catch(refuseUnlessThere)
}

/** Returns whether the folder is there now; false where the one above it is missing. */
const makeOne = (path: string): Promise<boolean> =>
  mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error) => {
      if (codeOf(error) === 'ENOENT') return false
      refuseUnlessThere(error)
      return true
    },
  )

const refuseUnlessThere = (error: unknown): void => {
  if (codeOf(error) !== 'EEXIST') throw error
}
