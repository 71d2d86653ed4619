import { StepwellError } from '../errors.js'

export interface PromptCacheOptions {
  /**
   * The allowed age of an answer while the service can be reached, in milliseconds. Default: 0, each call asks the service.
   * A prompt that is in use is asked for anew in the background from half of that age on, so that nobody waits for it.
   */
  ttlMs?: number | undefined
  /** The time limit of the service when there is a copy to fall back on, in milliseconds. Default: 1,000. */
  waitMs?: number | undefined
}

const WAIT_MS = 1000
/** Beyond this number, the least recently used copies are removed. */
const MAX = 1000
/** Interval at which a failing service is asked again while copies are returned. */
const RETRY_MS = 1000

/** A moment by the clock, and by `performance.now()`. */
type Moment = readonly [number, number]

interface Copy<Value> {
  value: Value
  takenAt: Moment
}

interface UnderWay {
  answer: Promise<unknown>
  since: Moment
}

/** Copies of the service's last good answers: fresh ones spare a call, old ones are used when it cannot be reached. */
export class PromptCache {
  readonly #ttlMs: number
  readonly #waitMs: number
  readonly #report: (message: string) => void
  readonly #copies = new Map<string, Copy<unknown>>()
  readonly #underWay = new Map<string, UnderWay>()
  /** The time of the first failure since the service last answered. */
  readonly #failures = new Map<string, Moment>()
  #isFailing = false

  constructor(
    { ttlMs = 0, waitMs = WAIT_MS }: PromptCacheOptions,
    report: (message: string) => void,
  ) {
    this.#ttlMs = ttlMs
    this.#waitMs = waitMs
    this.#report = report
  }

  /**
   * Returns the service's answer, or a copy of it. `fallback` is used without a copy. Throws only without either. Null,
   * for a missing prompt, is never cached.
   */
  async get<Value>(
    key: string,
    ask: () => Promise<Value | null>,
    fallback: Value | undefined,
  ): Promise<Value | null> {
    const copy = this.#copies.get(key) as Copy<Value> | undefined
    const last = copy === undefined ? fallback : copy.value
    if (copy !== undefined) this.#use(key, copy)
    const age = copy === undefined ? Number.POSITIVE_INFINITY : ageOf(copy.takenAt)
    const failedAt = this.#failures.get(key)
    const isFresh = age < this.#ttlMs
    // If a stale copy will do, callers do not wait for a service that failed a moment ago: it is tried again in the
    // background.
    if (last !== undefined && (isFresh || (failedAt !== undefined && this.#ttlMs > 0))) {
      const isDue = age > this.#ttlMs / 2 && (failedAt === undefined || ageOf(failedAt) >= RETRY_MS)
      if (isDue)
        this.#ask(key, ask).then(
          () => {
            this.#isFailing = false
          },
          (error) => {
            if (isOutage(error)) this.#say(error)
          },
        )
      return last
    }
    const answer = this.#ask(key, ask)
    if (last === undefined) return answer
    try {
      const value = await within(answer, this.#waitMs)
      this.#isFailing = false
      return value
    } catch (error) {
      if (!isOutage(error)) throw error
      this.#fail(key)
      this.#say(error)
      return last
    }
  }

  /** Returns a cached copy of any age. */
  held<Value>(key: string): Value | undefined {
    return (this.#copies.get(key) as Copy<Value> | undefined)?.value
  }

  /**
   * Makes the next call ask the service, as this client has changed something. The old copy is still used when that
   * fails.
   */
  forget(key: string): void {
    this.#underWay.delete(key)
    this.#failures.delete(key)
    const copy = this.#copies.get(key)
    if (copy !== undefined) copy.takenAt = LONG_AGO
  }

  /** Asks the service. If answers may be old, concurrent calls share one, unless it takes too long. */
  #ask<Value>(key: string, ask: () => Promise<Value | null>): Promise<Value | null> {
    const shared = this.#underWay.get(key)
    if (shared !== undefined && this.#ttlMs > 0 && ageOf(shared.since) < this.#waitMs)
      return shared.answer as Promise<Value | null>
    // One chain: a promise with a second branch ends the stacks of its errors.
    const answer = ask()
      .then(
        (value) => {
          // An answer requested before a change, or too long ago, may be out of date.
          if (this.#underWay.get(key) === entry) this.#keep(key, value)
          return value
        },
        (error) => {
          if (isOutage(error)) this.#fail(key)
          throw error
        },
      )
      .finally(() => {
        if (this.#underWay.get(key) === entry) this.#underWay.delete(key)
      })
    const entry: UnderWay = { answer, since: moment() }
    this.#underWay.set(key, entry)
    return answer
  }

  #fail(key: string): void {
    if (this.#failures.size >= MAX) this.#failures.clear()
    this.#failures.set(key, moment())
  }

  #keep(key: string, value: unknown): void {
    this.#failures.delete(key)
    if (value === null) this.#copies.delete(key)
    else this.#use(key, { value, takenAt: moment() })
  }

  /** Moves a copy behind the others, which are dropped before it. */
  #use(key: string, copy: Copy<unknown>): void {
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    const [oldest] = this.#copies.keys()
    if (this.#copies.size > MAX && oldest !== undefined) this.#copies.delete(oldest)
  }

  /** Reports each outage of the service once. */
  #say(error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#report(`prompts come from copies, as the service is unreachable: ${String(error)}`)
  }
}

const LONG_AGO: Moment = [Number.NEGATIVE_INFINITY, 0]

const moment = (): Moment => [Date.now(), performance.now()]

/** Returns the longer of two times: the one clock may be put back, the other stands still while the machine sleeps. */
const ageOf = ([at, monotonic]: Moment): number =>
  Math.max(Date.now() - at, performance.now() - monotonic)

/**
 * Returns true when the service failed, rather than the call. With a copy, a key that has become invalid is no
 * obstacle.
 */
const isOutage = (error: unknown): boolean =>
  !StepwellError.is(error) || (error.code !== 'INVALID_ARGUMENT' && error.code !== 'BAD_REQUEST')

const within = async <Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StepwellError(`no answer within ${milliseconds} ms`, { code: 'TIMEOUT' })),
      milliseconds,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
    promise.catch(() => undefined)
  }
}
