import { EXIT_WORKER } from '../../generated/exit-worker.js'
import { builtin } from '../builtin.js'
import { type Outcome, outcomeOf } from './answer.js'
import type { Parcel } from './parcel.js'

/** How much of an answer is kept: enough to name the refused steps of a batch. */
const ANSWER_BYTES = 65_536

/**
 * Sends bodies while the process exits, when no event comes any more: a worker thread does it, and this one stands still
 * until it has, or until the deadline. Gives what came of each; undefined for what was not answered.
 */
export const deliverAtExit = (
  url: string,
  headers: Record<string, string>,
  bodies: Uint8Array[],
  deadlineMs: number,
): (Outcome | undefined)[] => {
  const threads = builtin('node:worker_threads')
  if (threads === undefined || bodies.length === 0) return bodies.map(() => undefined)
  const states = new SharedArrayBuffer(4 * (bodies.length + 1))
  const answers = new SharedArrayBuffer(ANSWER_BYTES * bodies.length)
  const workerData: Parcel = {
    url,
    headers,
    bodies,
    deadlineMs,
    states,
    answers,
    answerBytes: ANSWER_BYTES,
  }
  // Without the flags and environment of the process, such as loaders that would have to be loaded again.
  const worker = new threads.Worker(EXIT_WORKER, {
    eval: true,
    workerData,
    execArgv: [],
    stdin: false,
  })
  const state = new Int32Array(states)
  const deadline = Date.now() + deadlineMs
  for (;;) {
    const through = Atomics.load(state, 0)
    const left = deadline - Date.now()
    if (through >= bodies.length || left <= 0) break
    Atomics.wait(state, 0, through, left)
  }
  void worker.terminate()
  return bodies.map((_, index) => {
    const status = Atomics.load(state, index + 1)
    if (status === 0) return undefined
    const view = Buffer.from(answers, index * ANSWER_BYTES, ANSWER_BYTES)
    const text = view.toString('utf8', 4, 4 + view.readInt32LE())
    return outcomeOf({ status, text, retryAfterMs: undefined })
  })
}
