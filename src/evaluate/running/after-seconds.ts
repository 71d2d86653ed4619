import { runtime } from '../../outbox/host.js'

/** The longest time of a timer, in milliseconds: it ends at once with a longer one. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Calls back after a number of seconds; never when a timer can't wait as long, about 25 days, as with `Infinity`. Returns a
 * function that ends the waiting.
 */
export const afterSeconds = (seconds: number, callback: () => void): (() => void) => {
  if (seconds * 1000 > MAX_TIMER_MS) return () => {}
  return runtime.timer(callback, seconds * 1000, true)
}
