import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  access,
  chmod,
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isAlive, type Owner, ownOwner, Presence } from './folder-owner.js'
import { makeFolder } from './kernel/folders.js'

/** Each lock's number is one more than that of the lock before it. */
const LOCK = /^lock\.(\d{1,15})$/
/** The lock file of earlier versions, which named only a process. */
const EARLIER = 'lock'
const SCRAP = /^\.(lock|owner)-/
const SCRAP_MS = 60_000
/** Reasons why a folder can hold no data, by the operating system's error code. */
const UNFIT: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'it, or a part of its path, is a file',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of this user is used up',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'its links form a loop',
}
/** The content of a lock without an owner. */
const FREE = '{}'
const FULL = new Set(['ENOSPC', 'EDQUOT'])
/** Interval at which the owner touches its lock, to show other machines that it is alive. */
const BEAT_MS = 10_000
/** Other processes may win several times, but each of them ends up with the folder or leaves. */
const MAX_ATTEMPTS = 100
/** Errors of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * Takes a data folder for this process alone, as two processes on one embedded database would destroy it. Returns the
 * function that releases it.
 *
 * A lock is a file whose number follows that of the lock before it. It is created whole, and by one process only. The
 * lock with the highest number is never deleted: its owner releases it by writing a word into it, and the next owner
 * removes the locks below its own. So processes that see the same dead owner try for the same number, and one of them
 * gets it.
 *
 * @param lost - Called when a process on another machine took the folder because it believed this one dead.
 * @throws Error when another process has the folder.
 */
export const lockFolder = async (
  folder: string,
  lost: (reason: Error) => void = () => undefined,
): Promise<() => Promise<void>> => {
  await ensurePrivate(folder)
  const presence = await Presence.show(folder)
  try {
    const mine: Owner = { ...(await ownOwner()), ...(presence && { socket: presence.name }) }
    const number = await take(folder, mine)
    const path = join(folder, `lock.${number}`)
    await tidy(folder, number, mine.socket)
    let isLost = false
    const beat = setInterval(async () => {
      const now = new Date()
      await utimes(path, now, now).catch(() => undefined)
      if ((await highest(folder).catch(() => number)) === number) return
      clearInterval(beat)
      isLost = true
      lost(new Error(`the data folder ${folder} was taken by another process`))
    }, BEAT_MS)
    beat.unref()
    return async () => {
      clearInterval(beat)
      try {
        if (!isLost) await setFree(folder, path)
      } finally {
        await presence?.hide()
      }
    }
  } catch (error) {
    await presence?.hide()
    throw (error as NodeJS.ErrnoException).code === undefined ? error : unfit(folder, error)
  }
}

/**
 * Creates a data folder that only its owner can read.
 *
 * @throws Error that names the folder, the reason and the remedy.
 */
export const ensurePrivate = async (folder: string): Promise<void> => {
  try {
    await makeFolder(folder)
    if (!(await stat(folder)).isDirectory())
      throw Object.assign(new Error('it is a file'), { code: 'ENOTDIR' })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unfit(folder, error)
  }
  if (process.platform === 'win32') return
  const { mode } = await stat(folder)
  if ((mode & 0o077) === 0) return
  try {
    await chmod(folder, 0o700)
  } catch {
    throw new Error(
      `the data folder ${folder} is open to other users and belongs to another one; choose a folder in it, or have root give it to this one: chown ${process.getuid?.()} ${resolve(folder)}`,
    )
  }
}

const unfit = (folder: string, error: unknown): Error => {
  const { code = '', message } = error as NodeJS.ErrnoException
  return new Error(
    `the data folder ${folder} is invalid: ${UNFIT[code] ?? message}; name another one with --data`,
    { cause: error },
  )
}

/** Gets the next number, once nobody has the one before it. */
const take = async (folder: string, mine: Owner): Promise<number> => {
  const scrap = join(folder, `.lock-${randomUUID()}`)
  try {
    await refuseEarlier(folder)
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // The file's time comes from the machine that has the folder, as the times of the locks do.
      await writeFile(scrap, JSON.stringify(mine), { mode: 0o600 })
      const { mtimeMs: now } = await stat(scrap)
      const last = await highest(folder)
      if (last > 0) await refuseTaken(folder, last, now)
      const path = join(folder, `lock.${last + 1}`)
      if (!(await createWhole(scrap, path, mine))) continue
      // A process that read the folder long ago may try for a number that was released and removed in the meantime.
      if ((await highest(folder)) === last + 1) return last + 1
      await rm(path, { force: true })
    }
  } finally {
    await rm(scrap, { force: true })
  }
  throw new Error(
    `the data folder ${folder} is being taken by other processes; choose another folder`,
  )
}

const highest = async (folder: string): Promise<number> =>
  Math.max(0, ...(await readdir(folder)).map((name) => Number(LOCK.exec(name)?.[1] ?? 0)))

/** Creates a file with the content of another one. Returns false when it exists already. */
const createWhole = async (from: string, to: string, content: Owner): Promise<boolean> => {
  try {
    await link(from, to).catch((error: NodeJS.ErrnoException) => {
      if (!NO_LINKS.has(error.code ?? '')) throw error
      return writeFile(to, JSON.stringify(content), { mode: 0o600, flag: 'wx' })
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const refuseTaken = async (folder: string, number: number, now: number): Promise<void> => {
  const path = join(folder, `lock.${number}`)
  const owner = await readOwner(path)
  // Another process already has the next number.
  if (owner === 'gone' || owner === 'free') return
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }))
  const alive = await isAlive(folder, owner, now - mtimeMs)
  if (!alive) return
  throw new Error(
    `the data folder ${folder} is in use by ${alive}; stop it, or choose another folder`,
  )
}

const refuseEarlier = async (folder: string): Promise<void> => {
  const owner = await readOwner(join(folder, EARLIER))
  if (typeof owner !== 'object') return
  const { kernel, pids } = await ownOwner()
  if (await isAlive(folder, { ...owner, kernel, pids }, Number.POSITIVE_INFINITY))
    throw new Error(
      `the data folder ${folder} is in use by process ${owner.pid}; stop it, or choose another folder`,
    )
}

/** Writes into a lock that it has no owner. */
const setFree = async (folder: string, path: string): Promise<void> => {
  const free = join(folder, `.lock-${randomUUID()}`)
  try {
    await writeFile(free, FREE, { mode: 0o600 })
    await rename(free, path)
  } catch (error) {
    await rm(free, { force: true })
    if (!FULL.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    // Over what is there, which takes no room.
    const { size } = await stat(path)
    await writeFile(path, FREE.padEnd(size), { flag: 'r+' })
  }
}

/** Returns `undefined` while the owner is still being written. */
const readOwner = async (path: string): Promise<Owner | 'free' | 'gone' | undefined> => {
  try {
    const owner = JSON.parse(await readFile(path, 'utf8')) as Partial<Owner>
    return typeof owner.pid === 'number' ? (owner as Owner) : 'free'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : undefined
  }
}

/** Removes the files of earlier owners, and of processes that ended while they tried to take the folder. */
const tidy = async (folder: string, number: number, socket: string | undefined): Promise<void> => {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const lock = LOCK.exec(name)
    const isOld = async () => {
      const found = await stat(path).catch(() => undefined)
      return found !== undefined && Date.now() - found.mtimeMs > SCRAP_MS
    }
    if (
      name === EARLIER ||
      (lock !== null && Number(lock[1]) < number) ||
      (SCRAP.test(name) && name !== socket && (await isOld()))
    )
      await rm(path, { force: true })
  }
}
