import { builtin } from '../../builtin.js'

/** A process, so that another one can tell whether it still runs. */
export interface Owner {
  pid: number
  host: string
  /** When the system started it; numbers of processes are used again. Empty where the system does not say. */
  started: string
}

/** How long a folder shared between machines must lie untouched before another one takes it for left behind. */
const SILENCE_MS = 60_000

export const ownOwner = (): Owner => ({
  pid: process.pid,
  host: hostOf(),
  started: startOf(process.pid),
})

/** Whether a process still runs. One on another machine can't be asked; its silence has to do. */
export const isAlive = (owner: Owner, touchedAt: number): boolean => {
  if (owner.host !== hostOf()) return Date.now() - touchedAt < SILENCE_MS
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // It runs as somebody else.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return owner.started === '' || owner.started === startOf(owner.pid)
}

/** Where numbers of processes mean the same: a machine since it started, and the container in it. */
const hostOf = (): string =>
  [
    builtin('node:os')?.hostname() ?? '',
    quietly(() => builtin('node:fs')?.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    quietly(() => builtin('node:fs')?.readlinkSync('/proc/self/ns/pid')),
  ]
    .map((part) => part?.trim() ?? '')
    .join(' ')

const quietly = (read: () => string | undefined): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** The system's start time of a process; empty where it is not in /proc. */
const startOf = (pid: number): string => {
  try {
    const stat = builtin('node:fs')?.readFileSync(`/proc/${pid}/stat`, 'utf8') ?? ''
    // The name, in brackets, may hold anything, brackets and spaces included.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
