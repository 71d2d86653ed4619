import { stat } from 'node:fs/promises'

/**
 * Rejects a user other than the owner of a data folder: files that it makes there, the service could not use any more.
 *
 * @throws Error with the command that works.
 */
export const demandOwner = async (folder: string): Promise<void> => {
  const user = process.getuid?.()
  const owner = await ownerOf(folder)
  if (user === undefined || owner === undefined || owner === user) return
  throw new Error(
    owner === 'hidden'
      ? `this user may not look into the data folder ${folder}; run the command as the user of the service: sudo -u USER stepwell`
      : `the data folder ${folder} belongs to the user ${owner}, and this is the user ${user}; run the command as its owner: sudo -u '#${owner}' stepwell`,
  )
}

/** Returns the id of the owner; undefined when there is no folder. */
const ownerOf = async (folder: string): Promise<number | 'hidden' | undefined> => {
  try {
    return (await stat(folder)).uid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'hidden' : undefined
  }
}
