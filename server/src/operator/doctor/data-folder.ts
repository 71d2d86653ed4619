import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { demandOwner } from '../folder-user.js'
import { broken, brokenBy, type Finding, ok, warning } from './check.js'

const PROBE_BYTES = 65_536
const LEAST_BYTES = 100_000_000
const FEW_BYTES = 1_000_000_000

/** Checks that this user may use the data folder as the service does, and that there is room in it. */
export const dataFolder = async (folder: string, isReadOnly: boolean): Promise<Finding[]> => {
  const place = resolve(folder)
  const above = await nearestFolder(place)
  if (above !== place) {
    const code = await refusalOf(above)
    return code === undefined
      ? [ok(`there is no folder ${place} yet; the first start makes it`), await room(above)]
      : [
          broken(
            `there is no folder ${place}, and this user may not make it in ${above} (${code})`,
            `sudo install -d -m 700 -o "$(id -un)" ${place}, or name another one with --data`,
          ),
        ]
  }
  try {
    await demandOwner(place)
  } catch (error) {
    return [brokenBy(error)]
  }
  const code = (await refusalOf(place)) ?? (isReadOnly ? undefined : await writeProbe(place))
  if (code !== undefined)
    return [
      broken(
        `the data folder ${place} cannot be written (${code})`,
        code === 'ENOSPC' || code === 'EDQUOT'
          ? `make room on its disk: df -h ${place}`
          : `give it to this user: sudo chown -R "$(id -un)" ${place} && chmod -R u+rwX ${place}`,
      ),
    ]
  return [
    ok(`${place} belongs to this user, and can be ${isReadOnly ? 'opened' : 'written'}`),
    await room(place),
  ]
}

/** Returns the folder, or the nearest one above that is there. */
const nearestFolder = async (path: string): Promise<string> => {
  // A folder that this user may not look into is there.
  const isThere = await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'EACCES',
  )
  return isThere || dirname(path) === path ? path : nearestFolder(dirname(path))
}

const refusalOf = async (folder: string): Promise<string | undefined> => {
  try {
    if (!(await stat(folder)).isDirectory()) return 'ENOTDIR'
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

/** Writes some bytes to the disk, and removes them. Returns the code of the failure. */
const writeProbe = async (folder: string): Promise<string | undefined> => {
  const path = join(folder, `.doctor-${randomUUID()}`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES, 1))
      await file.sync()
    } finally {
      await file.close()
    }
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  } finally {
    await rm(path, { force: true })
  }
}

const room = async (folder: string): Promise<Finding> => {
  const { bavail, bsize } = await statfs(folder)
  const bytes = bavail * bsize
  const text = `its disk has ${Math.floor(bytes / 1e6)} MB left`
  const remedy = `make room on it before the service runs out: df -h ${folder}`
  if (bytes < LEAST_BYTES) return broken(text, remedy)
  return bytes < FEW_BYTES ? warning(text, remedy) : ok(text)
}
