import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/**
 * Creates a folder and its missing parents, for their owner only. Node's own recursive mode loops for ever where a
 * folder exists and allows none in it, as /proc does.
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

/** Resolves to true when the folder exists afterwards; to false when its parent is missing. */
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
