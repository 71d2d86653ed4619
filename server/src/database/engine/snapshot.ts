import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../database.js'

const LOG_FOLDER = 'pg_wal'
const SEGMENT = /^[0-9A-F]{24}$/
/** Written by checkpoints, which name it as the place where recovery begins: copied when all else is. */
const CONTROL = join('global', 'pg_control')
/** Names a process, or is a cache that each start makes anew. */
const LEFT = /^(postmaster\.(pid|opts)|pg_internal\.init.*|backup_label.*)$/

/**
 * Copies the folder of an embedded database while it is used, by PostgreSQL's own online backup: pages may change while
 * they are copied, as the log of that time is copied after them and replayed when the copy is opened. The copy has all
 * that was committed before the end of the copying. Others wait only for the checkpoint at its beginning.
 *
 * `demandAwaited` throws to end it before its end. Between beginning and end nobody may make another checkpoint, which would remove that log.
 */
export const copyDatabase = async (
  db: Database,
  from: string,
  to: string,
  demandAwaited: () => void,
): Promise<void> => {
  await sql`SELECT pg_backup_start('stepwell', true)`.execute(db)
  let label: string | undefined
  try {
    await copyFolder(from, to, '', demandAwaited)
  } finally {
    const { rows } = await sql<{ label: string }>`
      SELECT labelfile AS label FROM pg_backup_stop(false)`.execute(db)
    label = rows[0]?.label
  }
  const { rows } = await sql<{ last: string }>`
    SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS last`.execute(db)
  const first = /\(file ([0-9A-F]{24})\)/.exec(label ?? '')?.[1]
  const segments = (await readdir(join(from, LOG_FOLDER))).filter((name) => SEGMENT.test(name))
  if (first === undefined || !segments.includes(first))
    throw new Error('the log of the database was removed while it was copied; try again')
  const last = rows[0]?.last ?? ''
  for (const name of segments)
    if (name >= first && name <= last)
      await copy(join(from, LOG_FOLDER, name), join(to, LOG_FOLDER, name))
  await copy(join(from, CONTROL), join(to, CONTROL))
  await writeFile(join(to, 'backup_label'), label ?? '', { mode: 0o600 })
}

/** Copies folders, and files except those that are copied later. */
const copyFolder = async (
  from: string,
  to: string,
  path: string,
  demandAwaited: () => void,
): Promise<void> => {
  await mkdir(join(to, path), { mode: 0o700 })
  for (const entry of await readdir(join(from, path), { withFileTypes: true })) {
    demandAwaited()
    const below = join(path, entry.name)
    if (entry.isDirectory()) await copyFolder(from, to, below, demandAwaited)
    else if (path !== LOG_FOLDER && below !== CONTROL && !LEFT.test(entry.name))
      await copy(join(from, below), join(to, below))
  }
}

/** Copies a file; one that was deleted meanwhile is in no table any more, or the log makes it again. */
const copy = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
