import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startWorkerThread } from 'synckit'
import { invalidArgument, StepwellError } from '../errors.js'
import type { Reply, Request } from './messages.js'

/** Where this file is once it is built; in the CommonJS build, that is a path from the start. */
const here = import.meta.url.startsWith('file:') ? fileURLToPath(import.meta.url) : import.meta.url
const program = join(dirname(here), 'worker.js')

/** Longer than any call takes: a thread that gives no answer then has died, of too large an answer for example. */
const MAX_TIMER_MS = 900_000

type Ask = (request: Request) => Reply
let thread: Ask | undefined

/** Starts the thread without what the environment has each start of Node load: it may be nothing for a thread. */
const start = (): Ask => {
  // A thread that can't start would never answer.
  if (!existsSync(program))
    throw new StepwellError(
      'stepwell/sync: its thread has no program; keep the package out of the bundle of your application (external)',
      { code: 'INTERNAL' },
    )
  const { NODE_OPTIONS: options } = process.env
  delete process.env.NODE_OPTIONS
  try {
    return startWorkerThread(program, { timeout: MAX_TIMER_MS, execArgv: [] }) as Ask
  } finally {
    if (options !== undefined) process.env.NODE_OPTIONS = options
  }
}

/** Hands a request to the thread, which all clients of the process share, and waits for the reply. */
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
