import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'unnoted.jsonl'

/** An action on the data folder of a stopped service. */
interface Unnoted {
  action: 'BACK_UP' | 'RESTORE'
  /** The time of the action. */
  at: string
}

/**
 * Leaves a note of an action in the data folder, for the audit log. The database stays closed: to open it could upgrade it,
 * and a backup is what one makes before.
 */
export const leaveNote = (folder: string, action: Unnoted['action']): Promise<void> =>
  appendFile(
    join(folder, FILE),
    `${JSON.stringify({ action, at: new Date().toISOString() } satisfies Unnoted)}\n`,
    { mode: 0o600 },
  )

/**
 * Hands over the notes in a data folder, and removes them once they are taken. After a crash in between they come again.
 */
export const takeNotes = async (
  folder: string,
  take: (notes: readonly Unnoted[]) => Promise<void>,
): Promise<void> => {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return
  await take(text.split('\n').flatMap(readNote))
  await rm(join(folder, FILE), { force: true })
}

/** A line that was cut off by a full disk, or written by somebody else, is no note. */
const readNote = (line: string): Unnoted[] => {
  try {
    const { action, at } = JSON.parse(line)
    return ['BACK_UP', 'RESTORE'].includes(action) && !Number.isNaN(Date.parse(at))
      ? [{ action, at: new Date(at).toISOString() }]
      : []
  } catch {
    return []
  }
}
