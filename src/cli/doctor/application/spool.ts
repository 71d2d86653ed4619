import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { runtime } from '../../../outbox/host.js'
import { machineDisk } from '../../../outbox/spool/disk.js'
import { SessionFolders } from '../../../outbox/spool/folders.js'
import { readLeftBehind } from '../../../outbox/spool/left-behind.js'
import { broken, type Finding, ok, warning } from '../check.js'
import { roomOf } from '../room.js'

/** Checks the folder of a spool: it can be written, has room, and holds no steps of processes that have ended. */
export const spoolWorks = async (folder: string, isReadOnly: boolean): Promise<Finding[]> => {
  const found = fs.statSync(folder, { throwIfNoEntry: false })
  if (found === undefined)
    return [warning(`there is no folder ${folder} yet; clients create it`, `mkdir -p ${folder}`)]
  const fault = found.isDirectory() ? refusalOf(folder, isReadOnly) : 'it is no folder'
  if (fault !== undefined)
    return [
      broken(
        `the spool ${folder} cannot be written: ${fault}`,
        `${giveTo(folder)}, or name another folder as spool`,
      ),
    ]
  const { steps, sessions, unreadable } = await leftIn(folder)
  return [
    ...unreadable.map(({ path, code }) =>
      broken(`the spool's folder ${path} cannot be read: ${code}`, giveTo(path)),
    ),
    roomOf(folder, `the spool ${folder}`, fs.statfsSync(folder)),
    steps === 0
      ? ok('no process left steps in the spool')
      : warning(
          `steps that were not delivered wait in the spool: ${steps} of ${sessions} ended processes`,
          `stepwell spool send ${folder}`,
        ),
  ]
}

const giveTo = (path: string): string =>
  `give it to the user of the application: chown ${process.getuid?.() ?? 'USER'} ${path}`

const refusalOf = (folder: string, isReadOnly: boolean): string | undefined => {
  const probe = `${folder}/.doctor-${randomUUID()}`
  try {
    if (isReadOnly) fs.accessSync(folder, fs.constants.W_OK)
    else {
      fs.writeFileSync(probe, 'a canary')
      fs.rmSync(probe)
    }
    return undefined
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  } finally {
    fs.rmSync(probe, { force: true })
  }
}

/** Counts the steps of sessions that nobody owns. A folder that cannot be read hides none of the others. */
const leftIn = async (folder: string) => {
  const left = { steps: 0, sessions: 0, unreadable: [] as { path: string; code: string }[] }
  const disk = machineDisk()
  if (disk === undefined) return left
  const folders = new SessionFolders(disk, folder, runtime)
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve))
  for (const name of folders.names) {
    const path = folders.pathOf(name)
    try {
      if (folders.isOwned(name)) continue
      const file = folders.read(name)
      if (file === undefined) continue
      const { steps } = await readLeftBehind(disk.fs, path, file.session, pause)
      left.steps += steps.length
      if (steps.length > 0) left.sessions++
    } catch (error) {
      left.unreadable.push({ path, code: String((error as NodeJS.ErrnoException).code) })
    }
  }
  return left
}
