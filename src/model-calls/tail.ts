import type { Answer, Answered, Api } from './apis/api.js'
import type { Json } from './json.js'
import { INPUT_PARTS, type Usage, usageOf } from './usage/usage.js'

/** Characters after which the text of the tail is forgotten. */
const MAX_HELD = 1_000_000

/** Reads the end of an answer whose text is too long to be kept: its tokens, its reason and its errors, but no text. */
export class Tail {
  readonly #api: Api
  #answer: Answer
  #told: Answered = {}
  #held = 0

  constructor(api: Api) {
    this.#api = api
    this.#answer = api.answer()
  }

  event(data: Json): void {
    this.#answer.event(data)
  }

  /** Notes a piece of text, and forgets the ones before when they are many. */
  note(length: number): void {
    this.#held += length
    if (this.#held < MAX_HELD) return
    this.#held = 0
    this.#told = this.after({})
    this.#answer = this.#api.answer()
  }

  get isOver(): boolean {
    return this.#answer.isOver
  }

  /** Returns the beginning of an answer with the facts of its end. */
  after(beginning: Answered): Answered {
    return withEnd(withEnd(beginning, this.#told), this.#answer.read())
  }
}

const withEnd = (answered: Answered, { finishReason, error, usage, cost }: Answered): Answered => ({
  ...answered,
  finishReason: finishReason ?? answered.finishReason,
  error: error ?? answered.error,
  usage: later(answered.usage, usage),
  cost: cost ?? answered.cost,
})

/** Returns the later of two tellings of a call's tokens; some providers tell those of the input at the beginning alone. */
const later = (before: Usage | undefined, after: Usage | undefined): Usage | undefined => {
  if (before === undefined || after === undefined) return after ?? before
  const hasInput = INPUT_PARTS.some((part) => after[part] !== undefined)
  return hasInput ? after : usageOf({ ...before, ...after })
}
