import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'

/** A command, and everything that it started. */
export interface ProcessGroup {
  child: ChildProcess
  /** Sends a signal to all of them. Does nothing once all have ended. */
  kill: (signal: NodeJS.Signals) => void
}

/** Starts a command in a group of its own, so that what it starts ends with it; Windows has no groups. */
export const spawnGroup = (
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ProcessGroup => {
  const isGroup = process.platform !== 'win32'
  const child = spawn(program, args, { ...options, detached: isGroup })
  return {
    child,
    kill: (signal) => {
      try {
        if (isGroup && child.pid !== undefined) process.kill(-child.pid, signal)
        else child.kill(signal)
      } catch {
        // All have ended.
      }
    },
  }
}
