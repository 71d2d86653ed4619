import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Turns an error of opening a database into one that names the file and the remedy, where they are known. */
export const explained = async (error: unknown, folder: string | undefined): Promise<Error> => {
  const reason = error instanceof Error ? error.message : String(error)
  if (folder === undefined) return new Error(`the database in memory can't be created: ${reason}`)
  const code = (error as NodeJS.ErrnoException | null)?.code
  const locked = await firstLocked(folder)
  const remedy =
    locked !== undefined
      ? `this user may not read and write ${locked}; start as the user that owns it, or have root give it to this one: chown -R ${process.getuid?.()} ${folder}`
      : code === 'ENOSPC' || /No space left on device/.test(reason)
        ? 'its disk is full; make room'
        : code === 'EROFS' || /Read-only file system/.test(reason)
          ? 'its file system is read-only'
          : `its files may be damaged; restore a copy of the folder, or choose another one`
  return new Error(`the database in ${folder} can't be opened: ${remedy} (${reason})`)
}

/** Returns the first file or folder that this process may not read and write. */
const firstLocked = async (path: string): Promise<string | undefined> => {
  const { R_OK, W_OK, X_OK } = constants
  try {
    await access(path, R_OK | W_OK | X_OK)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? path : undefined
  }
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) {
      const locked = await firstLocked(below)
      if (locked !== undefined) return locked
      continue
    }
    try {
      await access(below, R_OK | W_OK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return below
    }
  }
  return undefined
}
