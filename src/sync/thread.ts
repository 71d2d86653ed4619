import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startWorkerThread } from 'synckit'
import { invalidArgument, StepwellError } from '../errors.js'
import type { Reply, Request } from './messages.js'

/** The path of this file in the build; in the CommonJS build, it is a path already. */
const here = import.meta.url.startsWith('file:') ? fileURLToPath(import.meta.url) : import.meta.url
const program = join(dirname(here), 'worker.js')

/** Longer than any call takes: a thread without an answer by then has died, for example of one that was too large. */
const MAX_TIMER_MS = 900_000

type Ask = (request: Request) => Reply
let thread: Ask | undefined

const notStarted = (problem: string, cause?: unknown): StepwellError =>
  new StepwellError(
    `stepwell/sync: ${problem}; where the application is bundled, keep the package out of the bundle (external)`,
    { code: 'INTERNAL', cause },
  )

/** Starts the thread without the options of Node that the environment sets: they may not suit a thread. */
const start = (): Ask => {
  // A thread that fails to start would never answer.
  if (!existsSync(program)) throw notStarted('its thread has no program')
  const { NODE_OPTIONS: options } = process.env
  delete process.env.NODE_OPTIONS
  try {
    return startWorkerThread(program, { timeout: MAX_TIMER_MS, execArgv: [] }) as Ask
  } catch (error) {
    // The code that a bundler writes in place of `require` throws, say, or Node allows no workers.
    throw notStarted(`its thread did not start: ${String(error)}`, error)
  } finally {
    if (options !== undefined) process.env.NODE_OPTIONS = options
  }
}

/** Sends a request to the thread, which all clients of the process share, and waits for the reply. */
export const askThread = (request: Request): Reply => {
  thread ??= start()
  try {
    return thread(request)
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'DataCloneError' || (error as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE')
      throw invalidArgument(`expected parameters that can be handed to a thread: ${message}`)
    if (!message.includes('Atomics.wait')) throw error
    thread = undefined
    throw new StepwellError(
      'the thread of stepwell/sync gave no answer; it may have run out of memory',
      {
        code: 'TIMEOUT',
        cause: error,
      },
    )
  }
}
