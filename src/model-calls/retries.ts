import { now } from '../values/clock.js'
import type { Call } from './call.js'

/** Time in which clients repeat a failed request: longer than they are told to wait as a rule. */
const MAX_WAIT_MS = 120_000
/** Limits of remembered failures: their number, and the characters of their requests. */
const MAX_FAILED = 500
const MAX_CHARACTERS = 32_000_000

interface Failed {
  call: Call
  key: string
  around: unknown
  /** Characters of its request. */
  size: number
  /** Milliseconds since 1970. */
  failedAt: number
}

/** The calls that failed and may be repeated, so that a repetition is another attempt at the same call. */
export class Retries {
  #failed: Failed[] = []

  get isEmpty(): boolean {
    return this.#failed.length === 0
  }

  add(call: Call, key: string, around: unknown, size: number): void {
    this.#forgetOld()
    this.#failed.push({ call, key, around, size, failedAt: now() })
    let characters = this.#failed.reduce((sum, one) => sum + one.size, 0)
    while (this.#failed.length > MAX_FAILED || characters > MAX_CHARACTERS)
      characters -= this.#failed.shift()?.size ?? 0
  }

  /**
   * Takes the call that a request repeats: the one that failed first with the same key and at the same place, as two
   * conversations may ask the same. `count` is the number of attempts before, where the client tells it. A framework that
   * repeats the call of a client makes it count from zero again: inside a step that stands for one call, the count
   * decides nothing.
   */
  take(key: string, around: unknown, count: number | undefined): Call | undefined {
    this.#forgetOld()
    const place = this.#failed.findIndex(
      (one) =>
        one.key === key &&
        one.around === around &&
        (count === undefined || one.call.isShared || (count > 0 && one.call.attempts === count)),
    )
    if (place < 0) return undefined
    return this.#failed.splice(place, 1)[0]?.call
  }

  #forgetOld(): void {
    const oldest = now() - MAX_WAIT_MS
    if (this.#failed[0] !== undefined && this.#failed[0].failedAt < oldest)
      this.#failed = this.#failed.filter(({ failedAt }) => failedAt >= oldest)
  }
}

/** Returns a key of a request by its address and its body. */
export const keyOf = (url: string, body: string): string => `${url} ${body.length} ${hash(body)}`

/** Two hashes of 32 bits: texts that differ have different ones, for all that a program meets. */
const hash = (text: string): string => {
  let one = 0x811c9dc5
  let other = 0x1b873593
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 13)
  }
  return `${one >>> 0} ${other >>> 0}`
}
