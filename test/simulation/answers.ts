import type { Handled } from './service.js'

/** The answers that a process received about its records: stored, or refused for good. */
export class Answers {
  readonly #sessionId: string
  /** All steps up to this number. */
  #upTo = 0
  readonly #ahead = new Set<number>()
  /** The number of the last change of each thread. */
  readonly #threads = new Map<string, number>()

  constructor(sessionId: string) {
    this.#sessionId = sessionId
  }

  note({ steps, threads }: Handled): void {
    for (const { sessionId, sequence } of steps)
      if (sessionId === this.#sessionId) this.#ahead.add(sequence)
    while (this.#ahead.delete(this.#upTo + 1)) this.#upTo++
    for (const { id, tags } of threads) {
      const number = numberOf(tags)
      if (number > (this.#threads.get(id) ?? 0)) this.#threads.set(id, number)
    }
  }

  hasStep(sequence: number): boolean {
    return sequence <= this.#upTo || this.#ahead.has(sequence)
  }

  hasStepsUpTo(sequence: number): boolean {
    return sequence <= this.#upTo
  }

  /** Returns true when a change of a thread was answered, and so all before it. */
  hasChange(threadId: string, number: number): boolean {
    return number <= (this.#threads.get(threadId) ?? 0)
  }
}

/** Puts the number of a change into its tags. */
export const tagOf = (number: number): string => `tag ${number}`

/** Returns zero without such a tag. */
export const numberOf = (tags: unknown): number =>
  Array.isArray(tags) ? Number(String(tags[0]).slice('tag '.length)) : 0
