import { builtin } from '../../builtin.js'
import { runtime } from '../host.js'
import { atProcessEnd } from './process-end.js'

// When the main thread calls process.exit, or a signal ends the process, Node ends all worker threads without notice. So
// the main thread's clients notify those of the workers, through shared memory, and wait until these have delivered.

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
  timeoutMs?: number,
) => { value: Promise<string> | string }

/** In the main thread: makes workers that start from now on reachable, and waits for them when the process ends. */
export const awaitWorkersAtExit = (timeoutMs: number): void => {
  const threads = builtin('node:worker_threads')
  if (!threads?.isMainThread || threads.getEnvironmentData(KEY) !== undefined) return
  const view = new Int32Array(new SharedArrayBuffer(16))
  threads.setEnvironmentData(KEY, view)
  const tell = (): number => {
    Atomics.store(view, EXITS, 1)
    Atomics.notify(view, EXITS)
    return Atomics.load(view, CLIENTS)
  }
  process.on('exit', () => {
    waitFor(view, HEARD, tell(), ANSWER_MS)
    waitFor(view, DONE, Atomics.load(view, HEARD), timeoutMs)
  })
  // A signal ends the process without an exit. Nothing listens for one before there is somebody to tell.
  void waiting(view, CLIENTS, 0)?.then(() =>
    atProcessEnd({
      ...NOTHING_OWN,
      deadlineMs: timeoutMs,
      beforeKill: async () => {
        await reached(view, HEARD, tell(), ANSWER_MS)
        await reached(view, DONE, Atomics.load(view, HEARD), timeoutMs)
      },
    }),
  )
}

/** The main thread delivers its own steps otherwise. */
const NOTHING_OWN = {
  isFinished: () => true,
  recordOpen: () => {},
  finish: async () => {},
  deliverNow: () => {},
  flush: async () => {},
  end: () => {},
}

/** Resolves once a number is another one, or the time is over; undefined where nothing can wait for that. */
const waiting = (
  view: Int32Array,
  place: number,
  value: number,
  timeoutMs?: number,
): Promise<string> | undefined => {
  const { waitAsync } = Atomics as unknown as { waitAsync?: WaitAsync }
  return waitAsync && Promise.resolve(waitAsync(view, place, value, timeoutMs).value)
}

const reached = async (
  view: Int32Array,
  place: number,
  count: number,
  timeoutMs: number,
): Promise<void> => {
  const deadline = runtime.elapsed() + timeoutMs
  for (;;) {
    const now = Atomics.load(view, place)
    const left = deadline - runtime.elapsed()
    if (now >= count || left <= 0) return
    await waiting(view, place, now, left)
  }
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
  const told = view instanceof Int32Array && waiting(view, EXITS, 0)
  if (!told) return () => {}
  let isOff = false
  const step = (place: number, by: number) => {
    Atomics.add(view, place, by)
    Atomics.notify(view, place)
  }
  step(CLIENTS, 1)
  void told.then(async () => {
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
