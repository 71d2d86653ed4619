import type { Watch } from './bound.js'

/** Takes how a result that comes over time ends. */
export interface Endings {
  /** Takes the value of a promise, or the values of a generator. A promise that it returns is awaited before going on. */
  done: (output: unknown) => Promise<void> | undefined
  /** Takes an error, and what was yielded before it. */
  failed: (error: unknown, output?: unknown) => void
  /** The most characters of yielded values that are kept for the output. */
  most: number
  /** Called when values begin to come over time, with a function that returns those so far. */
  begun: (soFar: () => unknown) => void
  /** Watches for values that may never come, and calls back once the time for them is over. */
  watch: (onEnd: () => void) => Watch
}
