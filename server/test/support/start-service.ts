import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { withoutSettings } from '../../../test/support/environment.js'
import { SHORT_LIVED } from '../../../test/support/short-lived.js'

const root = join(import.meta.dirname, '../../..')

export interface ServiceProcess {
  process: ChildProcess
  url: string
  /** Returns the whole output so far. */
  output: () => string
}

/**
 * Starts the built `stepwell serve` on any free port, with the API key `key`. Resolves once it reports that it serves;
 * rejects with its output when it ends instead. `started` receives the process before that.
 */
export const startService = async (
  options: readonly string[],
  settings: {
    environment?: Record<string, string>
    /** A command that starts it, with its arguments. */
    under?: readonly string[]
    started?: (child: ChildProcess) => void
  } = {},
): Promise<ServiceProcess> => {
  const command = [
    ...(settings.under ?? []),
    process.execPath,
    ...SHORT_LIVED,
    'bin/stepwell.js',
    'serve',
  ]
  const child = spawn(command[0] as string, [...command.slice(1), '--port', '0', ...options], {
    cwd: root,
    env: { ...withoutSettings, STEPWELL_API_KEY: 'key', ...settings.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  settings.started?.(child)
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
        const [, found] = /serves at (http:\/\/\S+),/.exec(output) ?? []
        if (found !== undefined) resolve(found)
      })
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
  return { process: child, url, output: () => output }
}
