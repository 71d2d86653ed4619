import { StepwellError } from '../errors.js'

export interface CopiesOptions {
  /**
   * How old an answer may be while the service can be reached, in milliseconds. 0 when absent: each call asks the service.
   * A prompt that is in use is asked for anew in the background from half of that age on, so that nobody waits for it.
   */
  ttlMs?: number | undefined
  /** How long the service may take where there is a copy to fall back on, in milliseconds: 1,000 when absent. */
  waitMs?: number | undefined
}

const WAIT_MS = 1000
/** Copies that were not used for the longest time go first. */
const MOST = 1000
/** How often a service that fails is asked while copies are given out. */
const RETRY_MS = 1000

interface Copy<Value> {
  value: Value
  takenAt: number
  /** When the service last failed to give a newer one. */
  failedAt: number
}

/** The last good copies of what the service gave: fresh ones spare a call, old ones serve when it can't be reached. */
export class Copies {
  readonly #ttlMs: number
  readonly #waitMs: number
  readonly #report: (message: string) => void
  readonly #copies = new Map<string, Copy<unknown>>()
  readonly #underWay = new Map<string, Promise<unknown>>()
  /** Grows with each change that this client makes: what was asked for before it may not know of it. */
  #age = 0
  #isFailing = false

  constructor({ ttlMs = 0, waitMs = WAIT_MS }: CopiesOptions, report: (message: string) => void) {
    this.#ttlMs = ttlMs
    this.#waitMs = waitMs
    this.#report = report
  }

  /**
   * What the service says, or a copy of it. `fallback` is what there is without one. Throws only when there is nothing to
   * fall back on. Null, which is what is not there, is never kept.
   */
  async get<Value>(
    key: string,
    ask: () => Promise<Value | null>,
    fallback: Value | undefined,
  ): Promise<Value | null> {
    const copy = this.#copies.get(key) as Copy<Value> | undefined
    if (copy !== undefined && this.#isGood(copy)) {
      if (Date.now() - copy.takenAt > this.#ttlMs / 2 && this.#mayAsk(copy))
        this.#ask(key, ask).catch(() => undefined)
      return copy.value
    }
    const last = copy === undefined ? fallback : copy.value
    const answer = this.#ask(key, ask)
    if (last === undefined) return answer
    try {
      return await within(answer, this.#waitMs)
    } catch (error) {
      if (!isOutage(error)) throw error
      this.#say(error)
      return last
    }
  }

  /** Forgets everything, as this client has changed something of it. */
  forget(): void {
    this.#age++
    this.#underWay.clear()
    // The old copies still serve when the service can't be reached.
    for (const copy of this.#copies.values()) copy.takenAt = 0
  }

  /** Young enough, or the best there is while the service fails, which is asked again in the background. */
  #isGood(copy: Copy<unknown>): boolean {
    const now = Date.now()
    const isFresh = now - copy.takenAt < this.#ttlMs
    return isFresh || (this.#ttlMs > 0 && copy.takenAt > 0 && now - copy.failedAt < RETRY_MS)
  }

  #mayAsk({ failedAt }: Copy<unknown>): boolean {
    return Date.now() - failedAt >= RETRY_MS
  }

  /** Asks the service. Where answers may be old, calls at the same time share one. */
  #ask<Value>(key: string, ask: () => Promise<Value | null>): Promise<Value | null> {
    const shared = this.#underWay.get(key) as Promise<Value | null> | undefined
    if (shared !== undefined && this.#ttlMs > 0) return shared
    const age = this.#age
    const answer = ask().then(
      (value) => {
        this.#isFailing = false
        if (age === this.#age) this.#keep(key, value)
        return value
      },
      (error) => {
        const copy = this.#copies.get(key)
        if (copy !== undefined) copy.failedAt = Date.now()
        throw error
      },
    )
    this.#underWay.set(key, answer)
    const done = () => {
      if (this.#underWay.get(key) === answer) this.#underWay.delete(key)
    }
    answer.then(done, done)
    return answer
  }

  #keep(key: string, value: unknown): void {
    this.#copies.delete(key)
    if (value === null) return
    this.#copies.set(key, { value, takenAt: Date.now(), failedAt: 0 })
    const [oldest] = this.#copies.keys()
    if (this.#copies.size > MOST && oldest !== undefined) this.#copies.delete(oldest)
  }

  /** Once for each time that the service goes away. */
  #say(error: unknown): void {
    if (this.#isFailing) return
    this.#isFailing = true
    this.#report(`prompts come from copies, as the service can't be asked: ${String(error)}`)
  }
}

/** Whether the service failed, rather than the call. A key that is no longer good stops nobody who has a copy. */
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
