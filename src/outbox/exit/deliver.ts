import { EXIT_WORKER } from '../../../generated/exit-worker.js'
import { builtin } from '../../builtin.js'
import { runtime } from '../host.js'
import { type Outcome, outcomeOf } from '../sending/answer.js'
import type { Answer } from '../sending/http-post.js'
import type { ExitAnswer, ExitWorkerData } from './worker-data.js'

/** Sends bodies while nothing else can run. Returns the outcome of each; undefined for bodies without an answer. */
export type DeliverAtExit = (
  url: string,
  headers: Record<string, string>,
  bodies: Uint8Array[],
  deadlineMs: number,
) => (Outcome | undefined)[]

/**
 * Sends bodies while the process exits and no event arrives any more: a worker thread sends, and this one blocks until
 * it has, or until the deadline.
 */
export const deliverAtExit: DeliverAtExit = (...request) =>
  answersAtExit(...request).map((answer) => answer && outcomeOf(answer))

/** Does the same, and returns the answers as they came. */
export const answersAtExit = (
  url: string,
  headers: Record<string, string>,
  bodies: Uint8Array[],
  deadlineMs: number,
): (Answer | undefined)[] => {
  const answers: (Answer | undefined)[] = bodies.map(() => undefined)
  const threads = builtin('node:worker_threads')
  if (threads === undefined || bodies.length === 0) return answers
  const { port1: own, port2: port } = new threads.MessageChannel()
  const answered = new SharedArrayBuffer(4)
  const workerData: ExitWorkerData = { url, headers, bodies, deadlineMs, answered, port }
  // Without the flags and environment of the process, such as loaders that would have to be loaded again.
  const worker = new threads.Worker(EXIT_WORKER, {
    eval: true,
    workerData,
    transferList: [port],
    execArgv: [],
    stdin: false,
  })
  const count = new Int32Array(answered)
  const deadline = runtime.elapsed() + deadlineMs
  for (;;) {
    const through = Atomics.load(count, 0)
    const left = deadline - runtime.elapsed()
    if (through >= bodies.length || left <= 0) break
    Atomics.wait(count, 0, through, left)
  }
  void worker.terminate()
  for (
    let next = threads.receiveMessageOnPort(own);
    next;
    next = threads.receiveMessageOnPort(own)
  ) {
    const { index, status, text } = next.message as ExitAnswer
    answers[index] = { status, text, retryAfterMs: undefined }
  }
  own.close()
  return answers
}
