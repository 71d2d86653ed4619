import type { Fs } from './disk.js'
import type { Owner } from './owner.js'

/** Length of a file: each text is written over the one before, and takes no more room on a full disk. */
const FILE_LENGTH = 1024

const pathOf = (folder: string, owner: string): string => `${folder}/${owner}.owner`

/** Returns the text of a file; earlier releases read it too, and find nobody in `null`. */
const textOf = (told: Owner | null): string => JSON.stringify(told).padEnd(FILE_LENGTH)

/** Names the owner of a folder that had none. */
export const sign = (fs: Fs, folder: string, owner: string, told: Owner): void =>
  fs.writeFileSync(pathOf(folder, owner), textOf(told), { mode: 0o600 })

/**
 * Names a new owner of a folder. The file of the one before becomes its own: a full disk takes no further file, and stays
 * full until somebody delivers what is on it.
 */
export const signAfter = (
  fs: Fs,
  folder: string,
  before: string,
  owner: string,
  told: Owner,
): void => {
  try {
    fs.renameSync(pathOf(folder, before), pathOf(folder, owner))
  } catch {
    // Earlier releases remove it when they leave.
    sign(fs, folder, owner, told)
    return
  }
  overwrite(fs, pathOf(folder, owner), textOf(told))
}

/** Notes that an owner has left a folder. Its file stays for the next one. */
export const signOff = (fs: Fs, folder: string, owner: string): void =>
  overwrite(fs, pathOf(folder, owner), textOf(null))

/** Returns the owner that the text of a file names; undefined when it has left. Throws when the text is damaged. */
export const ownerIn = (text: string): Owner | undefined =>
  (JSON.parse(text) as Owner | null) ?? undefined

const overwrite = (fs: Fs, path: string, text: string): void => {
  const bytes = Buffer.from(text)
  const file = fs.openSync(path, 'r+')
  try {
    fs.writeSync(file, bytes, 0, bytes.length, 0)
  } finally {
    fs.closeSync(file)
  }
}
