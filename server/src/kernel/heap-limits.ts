import { DEFAULT_LIMITS, type Limits } from './limits.js'

/** Share of the heap for bodies and the values read from them; the rest is for what is made of them. */
const SHARE_IN_FLIGHT = 0.25
/** A single request is always admitted: the values of its text take five times its bytes, and its rows as much again. */
const SHARE_OF_REQUEST = 0.08

/** Lowers the defaults of memory to what a small heap can hold. `heapBytes` is the most that the heap may grow to. */
export const limitsOfHeap = (
  heapBytes: number,
): Pick<Limits, 'bytesInFlight' | 'requestBytes' | 'answerBytes'> => ({
  bytesInFlight: Math.min(DEFAULT_LIMITS.bytesInFlight, Math.floor(heapBytes * SHARE_IN_FLIGHT)),
  requestBytes: Math.min(DEFAULT_LIMITS.requestBytes, Math.floor(heapBytes * SHARE_OF_REQUEST)),
  answerBytes: Math.min(DEFAULT_LIMITS.answerBytes, Math.floor(heapBytes * SHARE_IN_FLIGHT)),
})
