import { spawn } from 'node:child_process'
import { join } from 'node:path'

/** Runs the command line of the build, with settings of its environment. */
export const runCommand = (
  args: readonly string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; stdout: string; stderr: string }> =>
  new Promise((resolve, reject) => {
    const bin = join(import.meta.dirname, '../../bin/stepwell.js')
    const child = spawn(process.execPath, [bin, ...args], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (part) => {
      stdout += part
    })
    child.stderr.on('data', (part) => {
      stderr += part
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
