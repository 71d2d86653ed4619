import type { AnswerMemory } from '../../database/task.js'
import { DomainError } from '../../kernel/errors.js'
import type { Turn } from '../../kernel/sharing/turns.js'

export interface AnswerLimits {
  /** Bytes that are held at once. */
  bytesInFlight: number
  /** Rows of one answer of the database. */
  answerBytes: number
  /** Time that a statement waits for room, in milliseconds. */
  waitMs: number
}

/** The rows that one request may hold, in the largest answers of the database. */
const ANSWERS_OF_REQUEST = 2
/** The part of the memory that a key may always hold, whatever others hold. */
const OWN_SHARE = 1 / 64

interface Used {
  bytes: number
  /** Requests that hold something, or may yet. */
  open: number
  /** Those that still work, the oldest first. */
  working: Set<AnswerHold>
}

interface Waiter {
  hold: AnswerHold
  used: Used
  go: () => void
}

/**
 * The memory for rows that requests answer with, from the database until they were sent. The size of an answer is known
 * only as it comes, so requests wait before their statements: while their key holds more than is left free. The oldest
 * request of a key that still works never waits, as the others wait for it.
 */
export class AnswerRoom {
  readonly #limits: AnswerLimits
  readonly #keys = new Map<string, Used>()
  readonly #waiting = new Set<Waiter>()
  #bytes = 0
  #rejected = 0

  constructor(limits: AnswerLimits) {
    this.#limits = limits
  }

  get state() {
    return { bytes: this.#bytes, waiting: this.#waiting.size, rejected: this.#rejected }
  }

  /** Begins a request, which holds nothing yet. */
  open(key: string, turn: Turn = () => undefined): AnswerHold {
    const used = this.#keys.get(key) ?? { bytes: 0, open: 0, working: new Set() }
    this.#keys.set(key, used)
    const most = ANSWERS_OF_REQUEST * this.#limits.answerBytes
    let bytes = 0
    let isOpen = true
    let excess: DomainError | undefined
    const add = (more: number) => {
      bytes += more
      used.bytes += more
      this.#bytes += more
    }
    const hold: AnswerHold = {
      ready: () => {
        // Its other statements would be read for nothing.
        if (excess !== undefined) throw excess
        return this.#mayRead(used, hold) ? undefined : this.#wait(used, hold)
      },
      take: (more) => {
        if (bytes + more > most)
          excess ??= new DomainError(
            'TOO_LARGE',
            `the rows that this request reads take more than ${Math.round(most / 1e6)} MB; ask for fewer rows, for example with first`,
          )
        if (excess !== undefined) throw excess
        if (isOpen) add(more)
      },
      turn,
      finish: () => {
        if (used.working.delete(hold)) this.#admit()
      },
      close: () => {
        if (!isOpen) return
        isOpen = false
        used.working.delete(hold)
        add(-bytes)
        if (--used.open === 0) this.#keys.delete(key)
        this.#admit()
      },
    }
    used.open++
    used.working.add(hold)
    return hold
  }

  #mayRead({ bytes, working }: Used, hold: AnswerHold): boolean {
    const [oldest] = working
    const { bytesInFlight } = this.#limits
    return (
      hold === oldest || bytes <= Math.max(bytesInFlight - this.#bytes, bytesInFlight * OWN_SHARE)
    )
  }

  #wait(used: Used, hold: AnswerHold): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        hold,
        used,
        go: () => {
          clearTimeout(timer)
          this.#waiting.delete(waiter)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter)
        this.#rejected++
        reject(
          new DomainError(
            'UNAVAILABLE',
            'other requests of this key hold too many rows; ask again in a moment, or for fewer at once',
          ),
        )
      }, this.#limits.waitMs)
      this.#waiting.add(waiter)
    })
  }

  #admit(): void {
    for (const waiter of [...this.#waiting])
      if (this.#mayRead(waiter.used, waiter.hold)) waiter.go()
  }
}

/** The memory of the answers of one request. */
export interface AnswerHold extends AnswerMemory {
  /** Ends the work of the request: it needs no more, and holds what it has until it was sent. */
  finish(): void
  /** Releases what it holds. */
  close(): void
}
