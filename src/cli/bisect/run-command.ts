import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { spawnGroup } from '../process-group.js'

/** The largest output that is read, in characters: a score is small, and an output that is larger is a mistake. */
const MAX_OUTPUT = 16 * 1024 * 1024
/** Characters of the errors that are kept, from their end. */
const MAX_ERRORS = 2000
/** Time for which a pipe may stay open once the command itself has ended. */
const GRACE_MS = 500

/** The end of a command. */
interface Ended {
  /** Null when it was killed, or could not be started. */
  code: number | null
  /** The reason in words, when the code is not 0. */
  why: string
  output: string
  /** The end of its stderr. */
  errors: string
}

interface Running {
  folder: string
  env: NodeJS.ProcessEnv
  /** Written to stdin. */
  input?: string
  timeoutMs: number
  isShell?: boolean
  signal: AbortSignal
}

/** Runs a command to its end, and ends everything that it started. @throws the reason of the signal, when it is aborted. */
export const runCommand = (
  [program = '', ...args]: readonly string[],
  { folder, env, input = '', timeoutMs, isShell = false, signal }: Running,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const options = { cwd: folder, env, shell: isShell, stdio: 'pipe' } as const
    const { child, kill } = spawnGroup(program, args, options)
    const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams
    let why: string | undefined
    /** Once the command has ended, its number may be another one's. */
    let isOver = false
    const end = (reason: string): void => {
      why ??= reason
      if (!isOver) kill('SIGKILL')
    }
    const onAbort = (): void => end('it was stopped')
    const timer = setTimeout(() => end(`it took more than ${timeoutMs / 1000} seconds`), timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    const [parts, said]: [string[], string[]] = [[], []]
    let length = 0
    stdout.setEncoding('utf8').on('data', (part: string) => {
      length += part.length
      if (length > MAX_OUTPUT) end(`it printed more than ${MAX_OUTPUT} characters`)
      else parts.push(part)
    })
    stderr.setEncoding('utf8').on('data', (part: string) => {
      said.push(part)
      if (said.length > 1 && said.join('').length > 2 * MAX_ERRORS)
        said.splice(0, said.length, said.join('').slice(-MAX_ERRORS))
    })
    // A command need not read its input.
    stdin.on('error', () => undefined).end(input)
    const over = (code: number | null, told: string): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (signal.aborted) reject(signal.reason)
      else
        resolve({
          code: why === undefined ? code : null,
          why: why ?? told,
          output: parts.join(''),
          errors: said.join('').slice(-MAX_ERRORS).trim(),
        })
    }
    child.on('error', (error) => over(null, error.message))
    child.on('exit', () => {
      isOver = true
      kill('SIGKILL')
      // A process that left the group still has the pipes.
      setTimeout(() => {
        stdout.destroy()
        stderr.destroy()
      }, GRACE_MS).unref()
    })
    child.on('close', (code, by) => over(code, by ?? `exit code ${code}`))
  })
