// Date.now() counts milliseconds, in which an agent starts several steps; performance.now() counts microseconds, but
// misses changes of the clock and sleep of the machine. So one is anchored to the other.
const MAX_APART_MS = 20
/** Interval at which the two are compared. */
const CHECK_EVERY_MS = 10

let origin = Date.now() - performance.now()
let latest = 0
let checkedAt = 0

/** Milliseconds by which the clock was set forward so far; less than 0 when it was put back. */
export let jumped = 0

/** Returns milliseconds since 1970 with microseconds as decimals. Never the same twice, so that the order is clear. */
export const now = (): number => {
  const monotonic = performance.now()
  let moment = origin + monotonic
  // It runs back where a test ends its mocks of timers.
  if (Math.abs(monotonic - checkedAt) > CHECK_EVERY_MS) {
    checkedAt = monotonic
    const jump = Date.now() - moment
    if (Math.abs(jump) > MAX_APART_MS) {
      jumped += jump
      origin += jump
      moment += jump
      latest = 0
    }
  }
  latest = Math.max(moment, latest + 0.001)
  return latest
}

let second = Number.NaN
let prefix = ''

/** Writes a moment as ISO 8601, in UTC, to the microsecond. */
export const toIso = (moment: number): string => {
  const whole = Math.floor(moment / 1000)
  if (whole !== second) {
    second = whole
    prefix = new Date(whole * 1000).toISOString().slice(0, 20)
  }
  const micros = Math.min(999_999, Math.floor((moment - whole * 1000) * 1000))
  return `${prefix}${String(micros).padStart(6, '0')}Z`
}
