import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { withoutSettings } from './environment.js'

export interface Diagnosis {
  code: number | null
  /** The whole output. */
  said: string
  /** Returns the lines of a check, without its name. */
  of: (check: string) => string[]
}

/**
 * Runs `stepwell doctor` of the build, with no settings but the given ones. `under` is a command that starts it, `started`
 * receives the process.
 */
export const runDoctor = (
  args: readonly string[],
  environment: Record<string, string> = {},
  {
    under = [],
    started = () => undefined,
  }: { under?: readonly string[]; started?: (child: ChildProcess) => void } = {},
): Promise<Diagnosis> =>
  new Promise((resolve, reject) => {
    const bin = join(import.meta.dirname, '../../bin/stepwell.js')
    const [command = '', ...rest] = [...under, process.execPath, bin, 'doctor', ...args]
    const child = spawn(command, rest, {
      env: { ...withoutSettings, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        said += part
      })
    child.on('error', reject)
    child.on('close', (code) => {
      const lines = said.split('\n').map((line) => /^(\w+) +(.*)$/.exec(line)?.slice(1) ?? [])
      const of = (check: string) =>
        lines
          .filter(([, rest = '']) => rest.startsWith(`${check} `))
          .map(([state, rest = '']) => `${state} ${rest.slice(check.length).trim()}`)
      resolve({ code, said, of })
    })
  })
