import { builtin } from '../../builtin.js'

/** Identifies a process, so that another one can see if it still runs. */
export interface Owner {
  pid: number
  host: string
  /** Start time by the system, as process ids are reused. Empty if the system does not tell it. */
  started: string
}

/** Time that a folder shared between machines must be untouched before another one takes it over. */
const SILENCE_MS = 60_000

export const ownOwner = (): Owner => ({
  pid: process.pid,
  host: hostOf(),
  started: startOf(process.pid),
})

/** Returns true when a process still runs. One on another machine cannot be checked; there, silence decides. */
export const isAlive = (owner: Owner, silentMs: number): boolean => {
  if (owner.host !== hostOf()) return silentMs < SILENCE_MS
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    // It runs as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return owner.started === '' || owner.started === startOf(owner.pid)
}

/** Returns the scope of process ids: a running kernel, and the container in it. */
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

/** Returns the system's start time of a process; empty if it is not in /proc. */
const startOf = (pid: number): string => {
  try {
    const stat = builtin('node:fs')?.readFileSync(`/proc/${pid}/stat`, 'utf8') ?? ''
    // The name, in brackets, may contain anything, brackets and spaces included.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
