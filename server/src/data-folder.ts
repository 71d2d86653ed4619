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

/** Each lock has a number, one more than that of the lock before it. */
const LOCK = /^lock\.(\d{1,15})$/
/** The lock of earlier versions, which named a process alone. */
const EARLIER = 'lock'
const SCRAP = /^\.(lock|owner)-/
const SCRAP_MS = 60_000
/** Why a folder holds no data, by the system's code. */
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
/** How often the owner shows that it lives, to those on other machines. */
const BEAT_MS = 10_000
/** Others may be faster again and again, but each of them ends by having the folder or by leaving it. */
const MAX_ATTEMPTS = 100
/** Of file systems that know no second name for a file. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/**
 * Takes a data folder for this process alone: two processes on one embedded database would destroy it. Returns the
 * function that gives it back.
 *
 * A lock is a file whose number follows that of the lock before it. It comes into being whole, and for one process only.
 * The lock with the highest number stays where it is: it is given back by a word in it, and the next owner removes
 * those below its own. So processes that see the same dead owner want the same number, and one of them gets it.
 *
 * @param lost - Called when another process took the folder from this one, whose machine it held for dead.
 * @throws Error when another process has it.
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
    const beat = setInterval(async () => {
      const now = new Date()
      await utimes(path, now, now).catch(() => undefined)
      if ((await highest(folder).catch(() => number)) === number) return
      clearInterval(beat)
      lost(new Error(`the data folder ${folder} was taken by another process`))
    }, BEAT_MS)
    beat.unref()
    return async () => {
      clearInterval(beat)
      const free = join(folder, `.lock-${randomUUID()}`)
      await writeFile(free, '{}', { mode: 0o600 })
      await rename(free, path)
      await presence?.hide()
    }
  } catch (error) {
    await presence?.hide()
    throw (error as NodeJS.ErrnoException).code === undefined ? error : unfit(folder, error)
  }
}

/**
 * Makes a data folder, for its owner alone.
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
      // Its time is that of the folder's machine, as are those of the locks.
      await writeFile(scrap, JSON.stringify(mine), { mode: 0o600 })
      const { mtimeMs: now } = await stat(scrap)
      const last = await highest(folder)
      if (last > 0) await refuseTaken(folder, last, now)
      const path = join(folder, `lock.${last + 1}`)
      if (!(await createWhole(scrap, path, mine))) continue
      // One that looked long ago may want a number that was given back and removed meanwhile.
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

/** Creates a file with what another one holds. False when it is there already. */
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
  // Another process has the next number already.
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

/** `undefined` while it is being written. */
const readOwner = async (path: string): Promise<Owner | 'free' | 'gone' | undefined> => {
  try {
    const owner = JSON.parse(await readFile(path, 'utf8')) as Partial<Owner>
    return typeof owner.pid === 'number' ? (owner as Owner) : 'free'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : undefined
  }
}

/** Removes what earlier owners, and processes that ended while they wanted the folder, left behind. */
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
