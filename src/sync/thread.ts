import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSyncFn } from 'synckit'
import { invalidArgument, StepwellError } from '../errors.js'
import type { Reply, Request } from './messages.js'

/** Where this file is once it is built; in the CommonJS build, that is a path from the start. */
const here = import.meta.url.startsWith('file:') ? fileURLToPath(import.meta.url) : import.meta.url
const program = join(dirname(here), 'worker.js')

/** Hands a request to the thread, which all clients of the process share, and waits for the reply. */
export const askThread = (request: Request): Reply => {
  // A thread that can't start would never answer.
  if (!existsSync(program))
    throw new StepwellError(
      'stepwell/sync: its thread has no program; keep the package out of the bundle of your application (external)',
      { code: 'INTERNAL' },
    )
  try {
    return createSyncFn(program)(request) as Reply
  } catch (error) {
    if ((error as Error)?.name !== 'DataCloneError') throw error
    throw invalidArgument(
      `expected parameters that can be handed to a thread: ${(error as Error).message}`,
    )
  }
}
