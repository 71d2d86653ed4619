import { mkdir, open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Takes a data folder for this process alone: two processes on one embedded database would destroy it. Gives the
 * function that returns it. A process that was killed leaves its mark behind, which the next one sees through.
 */
export const lockFolder = async (folder: string): Promise<() => Promise<void>> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, 'lock')
  const mine = JSON.stringify({ pid: process.pid, started: await startOf(process.pid) })
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const file = await open(path, 'wx', 0o600)
      await file.writeFile(mine)
      await file.close()
      return () => rm(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      const holder = await readHolder(path)
      if (holder !== undefined && (await isRunning(holder)))
        throw new Error(
          `the data folder ${folder} is in use by process ${holder.pid}; stop it, or choose another folder`,
        )
      await rm(path, { force: true })
    }
  }
  throw new Error(
    `the data folder ${folder} is being taken by other processes; choose another folder`,
  )
}

interface Holder {
  pid: number
  started: string | undefined
}

const readHolder = async (path: string): Promise<Holder | undefined> => {
  try {
    const holder: unknown = JSON.parse(await readFile(path, 'utf8'))
    return typeof holder === 'object' && holder !== null && 'pid' in holder
      ? (holder as Holder)
      : undefined
  } catch {
    // It is empty: its writer died, or is just about to write.
    return undefined
  }
}

const isRunning = async ({ pid, started }: Holder): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  // Ids of processes are used again, in containers above all; the moment of the start tells them apart.
  return (await startOf(pid)) === started
}

/** When a process started, in ticks since boot; undefined where the system does not tell. */
const startOf = async (pid: number): Promise<string | undefined> => {
  try {
    return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').pop()?.split(' ')[19]
  } catch {
    return undefined
  }
}
