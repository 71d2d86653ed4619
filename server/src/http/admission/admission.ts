import { onBehalfOf, withoutTimeLimit, withTimeLimit } from '../../database/task.js'
import type { Limits } from '../../kernel/limits.js'
import type { Turn, Turns } from '../../kernel/sharing/turns.js'
import { type AnswerHold, AnswerRoom } from './answer-room.js'
import type { BodySource } from './body.js'
import { ConcurrencyLimiter } from './concurrency-limiter.js'
import { RateLimiter } from './rate-limiter.js'
import { Room } from './room.js'

export type Read<Body> = (source: BodySource) => Promise<Body>

/** Admits work of a key within its share of the service: requests a second, places, memory, turns and connections. */
export class Admission {
  readonly rate: RateLimiter
  readonly limiter: ConcurrencyLimiter
  readonly room: Room
  readonly answers: AnswerRoom
  readonly #limits: Limits
  readonly #turns: Turns

  constructor(limits: Limits, turns: Turns) {
    this.#limits = limits
    this.#turns = turns
    this.rate = new RateLimiter(limits.requestsPerSecond)
    this.limiter = new ConcurrencyLimiter(limits)
    this.room = new Room(limits)
    this.answers = new AnswerRoom(limits)
  }

  turnOf(key: string): Turn {
    return () => this.#turns.take(key)
  }

  /**
   * Reads a body of at most so many bytes, and works on it. The rows that its answer is made of take memory until the answer
   * was sent: `onceSent` is called with what is to be done then.
   */
  async within<Body, Result = Response>(
    key: string,
    request: Request,
    requestBytes: number,
    read: Read<Body>,
    handle: (body: Body, turn: Turn) => Result | Promise<Result>,
    onceSent: (done: () => void) => void = (done) => done(),
  ): Promise<Result> {
    const hold = this.room.open(key)
    const turn = this.turnOf(key)
    let leave: (() => void) | undefined
    let answers: AnswerHold | undefined
    // A body that is still arriving takes memory but no place: places are for requests that are worked on.
    const begin = async (bytes: number) => {
      leave = await this.limiter.enter(key, bytes)
      await turn()
    }
    const limits = { ...this.#limits, requestBytes }
    try {
      const body = await read({ request, limits, hold, begin, turn })
      answers = this.answers.open(key, turn)
      return await onBehalfOf(key, () => handle(body, turn), answers)
    } finally {
      leave?.()
      hold.close()
      answers?.finish()
      if (answers !== undefined) onceSent(answers.close)
    }
  }

  /** Works on a part of what a request began, without that request's limit of time: all parts may take hours. */
  apart<Result>(key: string, work: (turn: Turn) => Promise<Result>): Promise<Result> {
    return withoutTimeLimit(() =>
      withTimeLimit(this.#limits.databaseMs, async () => {
        const leave = await this.limiter.enter(key)
        try {
          const turn = this.turnOf(key)
          await turn()
          return await onBehalfOf(key, () => work(turn))
        } finally {
          leave()
        }
      }),
    )
  }
}
