import { runtime } from '../../outbox/host.js'
import { now } from '../../values/clock.js'

/** Watches for values that may never come. */
export interface Watch {
  /** Notes that a value came. */
  touch(): void
  /** Ends the watch. */
  stop(): void
}

/** Looks at a silence before it is over. */
const LOOKS = 4

/**
 * Calls back after a time without values, with the moment of the last one. Counts only time in which the process could
 * have read a value: one that was held up or suspended, even for hours, finds its values waiting, and no silence.
 */
export const watchFor = (timeoutMs: number, onSilence: (lastMoment: number) => void): Watch => {
  let last = now()
  let looks = 0
  const look = () => {
    looks++
    if (looks > LOOKS) onSilence(last)
    else cancel = runtime.timer(look, Math.ceil(timeoutMs / LOOKS))
  }
  let cancel: () => void = () => {}
  look()
  return {
    touch: () => {
      last = now()
      looks = 0
    },
    stop: () => cancel(),
  }
}
