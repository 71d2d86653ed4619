/** What delivery asks of the runtime: time, turns of the event loop and chance. The simulator of the tests has its own. */
export interface Host {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since some moment, whatever is done to the clock. */
  elapsed(): number
  /** From 0 up to 1. */
  random(): number
  newId(): string
  /** Runs something in the next turn of the event loop. */
  nextTurn(work: () => void): void
  /** Runs something once, later. Keeps the process alive meanwhile only where that is asked for. Returns its cancellation. */
  timer(work: () => void, milliseconds: number, keepsAlive?: boolean): () => void
}

type Timers = 'setTimeout' | 'clearTimeout' | 'setImmediate'

/**
 * The runtime's own function, taken when this module loads: tests that mock timers must not stop the delivery. Mocks that
 * are in place already have the function that they replace (sinon's, and so those of vitest and jest).
 */
const own = <Name extends Timers>(name: Name): (typeof globalThis)[Name] => {
  const found = globalThis[name] as ((typeof globalThis)[Name] & { clock?: object }) | undefined
  const replaced = (found?.clock as Record<string, unknown> | undefined)?.[`_${name}`]
  return (replaced ?? found) as (typeof globalThis)[Name]
}

const setTimeout = own('setTimeout')
const clearTimeout = own('clearTimeout')
const setImmediate = own('setImmediate')
const { performance } = globalThis
const { now } = Date

export const runtime: Host = {
  now: () => now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
  nextTurn: (work) => {
    if (typeof setImmediate === 'function') setImmediate(work)
    else setTimeout(work, 0)
  },
  timer: (work, milliseconds, keepsAlive = false) => {
    const timer: unknown = setTimeout(work, milliseconds)
    if (!keepsAlive && typeof timer === 'object' && timer !== null && 'unref' in timer)
      (timer as { unref(): void }).unref()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  },
}
