import { reasonOf } from '../values/capture.js'
import { now } from '../values/clock.js'
import type { Answered, Api, Asked } from './apis/api.js'
import { type Attempt, attemptsShown } from './attempts.js'
import { follow } from './body/follow.js'
import type { Watcher } from './body/watcher.js'
import { generationOf } from './generation.js'
import type { CallHost, CallStep } from './host.js'
import type { Json } from './json.js'
import { Reading } from './reading.js'

/** Time in which the body of an error is awaited, as applications often leave it unread. */
const ERROR_BODY_MS = 5000

/** Of a call, from its request on. */
export interface CallData {
  api: Api
  asked: Asked
  provider: string
  /** The address, without its query. */
  url: string
  /** Why the request was not read; undefined when it was. */
  unread: string | undefined
}

/** A model call: hears of its answer as the application reads it, and writes it into a step. */
export class Call {
  readonly #host: CallHost
  readonly #step: CallStep
  readonly #data: CallData
  readonly #attempts: Attempt[] = []
  #reading: Reading | undefined
  #watch: { touch(): void; stop(): void } | undefined
  #attempt: Attempt = { startedAt: 0 }
  #error: unknown
  #ended: string | undefined
  #unread: string | undefined
  #requestId: string | undefined
  #isOver = true
  /** True when it ended because the application released its reader: it goes on if there is another one. */
  #isReleased = false
  /** Called when an attempt failed in a way after which another one is usual. */
  onRepeatable: (() => void) | undefined

  constructor(host: CallHost, step: CallStep, data: CallData) {
    this.#host = host
    this.#step = step
    this.#data = data
  }

  get attempts(): number {
    return this.#attempts.length
  }

  /** True when its step stands for one call of somebody else, whatever the client counts. */
  get isShared(): boolean {
    return this.#step.isShared
  }

  /** Begins an attempt, the first one or another. */
  begin(startedAt: number): void {
    // Some clients leave the answer unread that they repeat their request for.
    if (!this.#isOver) this.#guarded(() => this.#finish())
    this.#reading = undefined
    this.#error = undefined
    this.#unread = this.#data.unread
    this.#attempt = { startedAt }
    this.#attempts.push(this.#attempt)
    this.#open()
  }

  #open(): void {
    this.#isOver = false
    this.#isReleased = false
    this.#ended = undefined
    this.#step.begin(() => this.#write())
  }

  /** Takes the head of the answer, and listens to its body. */
  answered(response: Response): void {
    this.#guarded(() => {
      const { status, headers } = response
      this.#attempt.status = status
      this.#requestId = requestIdOf(headers)
      this.#reading = new Reading(this.#data.api, {
        status,
        contentType: headers.get('content-type') ?? '',
        isShared: this.#step.isShared,
      })
      if (!follow(response, this.#watcher())) {
        if (response.body != null) {
          this.#unread = 'the answer: its body is no stream that can be followed'
          this.#host.report(`a model call is recorded without its answer: its body is no stream`)
        }
        this.#finish()
        return
      }
      this.#watch = this.#watchFor(status)
      if (isRepeatable(status) || (status >= 400 && this.isShared)) this.onRepeatable?.()
    })
  }

  #watchFor(status: number) {
    const { idleMs } = this.#host
    return this.#host.watch(
      status >= 400 ? Math.min(ERROR_BODY_MS, idleMs) : idleMs,
      (lastMoment) => this.#guarded(() => this.#abandoned(lastMoment)),
    )
  }

  failed(error: unknown): void {
    this.#guarded(() => {
      this.#error = error ?? 'failed without a reason'
      if (this.#attempt.status !== undefined) this.#ended = 'failed'
      this.#finish()
      if (this.#attempt.status === undefined || this.isShared) this.onRepeatable?.()
    })
  }

  /** Returns a watcher that hears as long as the present attempt lasts. */
  #watcher(): Watcher {
    const mine = this.#attempt
    const heard = (work: () => void): void => {
      if (!this.#isOver && this.#attempt === mine) this.#guarded(work)
    }
    return {
      // Called for each piece of a stream, and so without another function.
      piece: (value) => {
        if (this.#attempt !== mine || (this.#isOver && !this.#isReleased)) return
        try {
          if (this.#isReleased) this.#goOn()
          this.#watch?.touch()
          this.#reading?.piece(value)
          if (this.#reading?.isOver) this.#finish()
        } catch (error) {
          this.#fault(error)
        }
      },
      whole: (value) =>
        heard(() => {
          this.#reading?.whole(value)
          this.#finish()
        }),
      end: () => {
        if (this.#isReleased && this.#attempt === mine) this.#guarded(() => this.#goOn())
        heard(() => this.#finish())
      },
      released: () =>
        heard(() => {
          this.#ended = 'cancelled'
          this.#isReleased = true
          this.#finish()
        }),
      cancelled: (reason) =>
        heard(() => {
          // Node cancels a body whose answer nobody holds any more.
          if (/garbage collected/.test(String(reason))) this.#abandoned(undefined)
          else {
            this.#ended = 'cancelled'
            this.#finish()
          }
        }),
      failed: (error) => heard(() => this.failed(error)),
    }
  }

  /** Opens the step again, as another reader reads on. */
  #goOn(): void {
    this.#open()
    this.#watch = this.#watchFor(this.#attempt.status ?? 0)
  }

  #abandoned(lastMoment: number | undefined): void {
    // The body of an error is often left.
    if ((this.#attempt.status ?? 0) < 400) {
      this.#ended = 'abandoned'
      this.#host.countAbandoned()
    }
    this.#finish(lastMoment)
  }

  /** Runs a part of the reading. A fault of it costs the values, and never the application. */
  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#fault(error)
    }
  }

  #fault(error: unknown): void {
    this.#host.report(`a model call could not be read: ${reasonOf(error)}`)
    this.#isOver = true
    this.#watch?.stop()
    try {
      this.#step.end(now())
    } catch {
      // It was reported.
    }
  }

  #finish(moment = now()): void {
    this.#isOver = true
    this.#watch?.stop()
    this.#watch = undefined
    // An event may have come in part, and its rest may come.
    if (!this.#isReleased) this.#reading?.end()
    this.#attempt.endedAt = moment
    this.#write(moment)
    this.#step.end(moment)
  }

  #write(endedAt?: number): void {
    const answered = this.#reading?.read() ?? {}
    const error = this.#errorOf(answered)
    this.#attempt.error = error
    const { asked, provider, api, url } = this.#data
    this.#step.write({
      generation: generationOf({
        asked,
        answered,
        provider,
        isChat: api.type === 'llm' && asked.prompt === undefined,
        startedAt: this.#attempt.startedAt,
        firstAt: this.#reading?.firstAt,
        endedAt: endedAt ?? now(),
      }),
      error,
      input: asked.input,
      output: answered.output,
      details: this.#details(answered, api.name, url),
    })
  }

  #errorOf(answered: Answered): unknown {
    if (this.#error !== undefined) return this.#error
    const { status = 0 } = this.#attempt
    const message = this.#reading?.message
    if (status >= 400) return `HTTP ${status}${message === undefined ? '' : `: ${message}`}`
    return answered.error
  }

  #details(answered: Answered, api: string, url: string): Json {
    const details: Json = { api, url }
    const { status } = this.#attempt
    if (status !== undefined) details.status = status
    if (this.#requestId !== undefined) details.requestId = this.#requestId
    if (answered.id !== undefined) details.responseId = answered.id
    if (answered.finishReason !== undefined) details.finishReason = answered.finishReason
    if (this.#ended !== undefined) details.ended = this.#ended
    const unread = this.#unread ?? this.#reading?.unread
    if (unread !== undefined) details.unread = unread
    if (this.#attempts.length > 1) details.attempts = attemptsShown(this.#attempts)
    return details
  }
}

/** Returns true for the answers after which clients repeat their request. */
const isRepeatable = (status: number): boolean =>
  status === 408 || status === 409 || status === 429 || status >= 500

const requestIdOf = (headers: Headers): string | undefined => {
  for (const name of ['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid']) {
    const value = headers.get(name)
    if (value) return value
  }
  return undefined
}
