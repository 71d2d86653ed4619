import type { Fs } from './disk.js'

const OWNER_ONLY = { mode: 0o700 }

/**
 * Makes a folder and those above it, for their owner alone. Throws where that is not possible: Node's own recursive way
 * tries for ever where a folder is there and takes none, as /proc does.
 */
export const makeFolder = (fs: Fs, folder: string): void => {
  if (makeOne(fs, folder)) return
  const above = folder.replace(/[\\/]+[^\\/]+[\\/]*$/, '')
  if (above !== '' && above !== folder) makeFolder(fs, above)
  fs.mkdirSync(folder, OWNER_ONLY)
}

/** Returns whether the folder is there now; false where the one above it is missing. */
const makeOne = (fs: Fs, folder: string): boolean => {
  try {
    fs.mkdirSync(folder, OWNER_ONLY)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code === 'EEXIST' && fs.statSync(folder).isDirectory()) return true
    throw error
  }
}
