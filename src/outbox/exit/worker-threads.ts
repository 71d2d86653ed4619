import { builtin } from '../../builtin.js'
import { runtime } from '../host.js'

// When the main thread calls process.exit, Node ends all worker threads without notice. So the main thread's clients
// notify those of the workers, through shared memory, and block until these have delivered.

const KEY = 'stepwell.exit.1'
/** Time that a worker has to react: one that is busy computing does not notice. */
const ANSWER_MS = 250

/**
 * Indexes in the shared memory: whether the process exits, and how many workers have clients, have noticed the exit,
 * are done.
 */
const EXITS = 0
const CLIENTS = 1
const HEARD = 2
const DONE = 3

type WaitAsync = (
  view: Int32Array,
  index: number,
  value: number,
) => { value: Promise<string> | string }

/** In the main thread: makes workers that start from now on reachable, and waits for them at the exit. */
export const awaitWorkersAtExit = (timeoutMs: number): void => {
  const threads = builtin('node:worker_threads')
  if (!threads?.isMainThread || threads.getEnvironmentData(KEY) !== undefined) return
  const view = new Int32Array(new SharedArrayBuffer(16))
  threads.setEnvironmentData(KEY, view)
  process.on('exit', () => {
    const clients = Atomics.load(view, CLIENTS)
    if (clients === 0) return
    Atomics.store(view, EXITS, 1)
    Atomics.notify(view, EXITS)
    waitFor(view, HEARD, clients, ANSWER_MS)
    waitFor(view, DONE, Atomics.load(view, HEARD), timeoutMs)
  })
}

const waitFor = (view: Int32Array, place: number, count: number, timeoutMs: number): void => {
  const deadline = runtime.elapsed() + timeoutMs
  for (;;) {
    const now = Atomics.load(view, place)
    const left = deadline - runtime.elapsed()
    if (now >= count || left <= 0) return
    Atomics.wait(view, place, now, left)
  }
}

/** In a worker: delivers when the main thread exits. Returns a function that cancels this. */
export const deliverAtMainExit = (deliver: () => Promise<unknown>): (() => void) => {
  const threads = builtin('node:worker_threads')
  const view = threads?.isMainThread === false ? threads.getEnvironmentData(KEY) : undefined
  const { waitAsync } = Atomics as unknown as { waitAsync?: WaitAsync }
  if (!(view instanceof Int32Array) || waitAsync === undefined) return () => {}
  let isOff = false
  const step = (place: number, by: number) => {
    Atomics.add(view, place, by)
    Atomics.notify(view, place)
  }
  step(CLIENTS, 1)
  void Promise.resolve(waitAsync(view, EXITS, 0).value).then(async () => {
    if (isOff) return
    step(HEARD, 1)
    await deliver()
    step(DONE, 1)
  })
  return () => {
    if (!isOff) step(CLIENTS, -1)
    isOff = true
  }
}
