import { builtin } from '../builtin.js'

/**
 * The runtime's functions that delivery needs: time, turns of the event loop and chance. The tests' simulator has its
 * own.
 */
export interface Host {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since a fixed moment, unaffected by changes of the clock. */
  elapsed(): number
  /** From 0 up to 1. */
  random(): number
  newId(): string
  /** Runs a function in the next turn of the event loop. */
  nextTurn(work: () => void): void
  /**
   * Runs a function once, later. Keeps the process alive until then only if `keepsAlive` is set. Returns its
   * cancellation.
   */
  timer(work: () => void, milliseconds: number, keepsAlive?: boolean): () => void
}

type Own = 'setTimeout' | 'clearTimeout' | 'setImmediate' | 'performance'

/**
 * Returns what the runtime itself has, taken when this module loads: tests that mock timers must not stop the delivery.
 * Mocks that are already installed keep what they replace (sinon's, and so those of vitest and jest), but for Jest's legacy
 * ones: Node's own module has it.
 */
const own = <Name extends Own>(name: Name): (typeof globalThis)[Name] => {
  const found = globalThis[name] as
    | ((typeof globalThis)[Name] & { clock?: object; _isMockFunction?: boolean })
    | undefined
  const [real, its] = found?._isMockFunction
    ? [builtin('node:timers'), name]
    : [found?.clock, `_${name}`]
  return ((real as Record<string, unknown> | undefined)?.[its] ??
    found) as (typeof globalThis)[Name]
}

const setTimeout = own('setTimeout')
const clearTimeout = own('clearTimeout')
const setImmediate = own('setImmediate')
const performance = own('performance')
const { now } = Date

export const runtime: Host = {
  now: () => now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  newId: () => crypto.randomUUID(),
  nextTurn: (work) => {
    try {
      setImmediate(work)
    } catch {
      // Browsers have none, and that of Next.js's edge runtime throws.
      setTimeout(work, 0)
    }
  },
  timer: (work, milliseconds, keepsAlive = false) => {
    const timer: unknown = setTimeout(work, milliseconds)
    if (!keepsAlive && typeof timer === 'object' && timer !== null && 'unref' in timer)
      (timer as { unref(): void }).unref()
    return () => clearTimeout(timer as ReturnType<typeof setTimeout>)
  },
}
