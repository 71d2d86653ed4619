import type { Watch } from './bound.js'

/** Receives the end of a result that comes over time. */
export interface Endings {
  /** Receives the value of a promise, or the values of a generator. A promise that it returns is awaited first. */
  done: (output: unknown) => Promise<void> | undefined
  /** Receives an error, and the values yielded before it. */
  failed: (error: unknown, output?: unknown) => void
  /** Characters of yielded values that are kept for the output. */
  most: number
  /** Called when values begin to come over time, with a function that returns those so far. */
  begun: (soFar: () => unknown) => void
  /** Watches for values that may never come, and calls back after a time without any. */
  watch: (onEnd: () => void) => Watch
}
