import { runtime } from '../../outbox/host.js'
import { now } from '../../values/clock.js'

/** Watches for values that may never come. */
export interface Watch {
  /** Notes that a value came. */
  touch(): void
  /** Ends the watch. */
  stop(): void
}

/** Calls back after a time without values, with the moment of the last one. */
export const watchFor = (timeoutMs: number, onSilence: (lastMoment: number) => void): Watch => {
  let last = now()
  const check = () => {
    const left = last + timeoutMs - now()
    if (left > 0) cancel = runtime.timer(check, Math.ceil(left))
    else onSilence(last)
  }
  let cancel = runtime.timer(check, timeoutMs)
  return {
    touch: () => {
      last = now()
    },
    stop: () => cancel(),
  }
}
