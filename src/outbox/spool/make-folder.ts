import type { Fs } from './disk.js'

interface MakeOptions {
  mode?: number
}

const OWNER_ONLY: MakeOptions = { mode: 0o700 }

/**
 * Makes a folder and those above it, for their owner alone unless other options are given. Throws where that is not possible: Node's own recursive way
 * tries for ever where a folder is there and takes none, as /proc does.
 */
export const makeFolder = (
  fs: Pick<Fs, 'mkdirSync' | 'statSync'>,
  folder: string,
  options: MakeOptions = OWNER_ONLY,
): void => {
  if (makeOne(fs, folder, options)) return
  const above = folder.replace(/[\\/]+[^\\/]+[\\/]*$/, '')
  if (above !== '' && above !== folder) makeFolder(fs, above, options)
  fs.mkdirSync(folder, options)
}

/** Returns whether the folder is there now; false where the one above it is missing. */
const makeOne = (
  fs: Pick<Fs, 'mkdirSync' | 'statSync'>,
  folder: string,
  options: MakeOptions,
): boolean => {
  try {
    fs.mkdirSync(folder, options)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code === 'EEXIST' && fs.statSync(folder).isDirectory()) return true
    throw error
  }
}
