import { runtime } from '../../outbox/host.js'
import { now } from '../../values/clock.js'

/** Watches for something that may never come. */
export interface Watch {
  /** Notes that something came. */
  touch(): void
  /** Ends the watch: it came. */
  stop(): void
}

/** Calls back once nothing has come for a time, with the moment at which something came last. */
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
