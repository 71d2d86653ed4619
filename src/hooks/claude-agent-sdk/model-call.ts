import type { GenerationPayloadInput } from '../../../generated/schema.js'
import { anthropic } from '../../model-calls/apis/anthropic.js'
import type { Usage } from '../../model-calls/usage/usage.js'
import type { Step } from '../../tracing/step.js'
import { now } from '../../values/clock.js'
import { describe, timesOf, tokensOf } from '../shared/generation.js'
import { isJson, type Json, objectsOf } from '../shared/json.js'

/** The model that Claude names for messages that no model wrote. */
const NO_MODEL = '<synthetic>'

/** A call of a model, which comes as messages of one block each, and event by event where the application asks for it. */
export class ModelCall {
  readonly id: string
  readonly step: Step
  readonly #asked: readonly Json[]
  readonly #startedAt: number
  readonly #answer = anthropic.answer()
  readonly #blocks: Json[] = []
  #firstAt: number | undefined
  #endedAt = now()
  #isStreamed = false
  #last: Json | undefined

  constructor(id: string, step: Step, asked: readonly Json[], startedAt: number) {
    this.id = id
    this.step = step
    this.#asked = asked
    this.#startedAt = startedAt
    // For the end of the process, and for queries that nobody reads to their end.
    step.recording.soFar = () => {
      this.write()
      return undefined
    }
  }

  /** The blocks that came as messages: they are asked with from now on. */
  get blocks(): readonly Json[] {
    return this.#blocks
  }

  /** Tokens, as far as they are known. */
  get usage(): Usage | undefined {
    return this.#answer.read().usage
  }

  event(event: Json): void {
    this.#isStreamed = true
    this.#endedAt = now()
    this.#answer.event(event)
    if (this.#answer.hasContent) this.#firstAt ??= this.#endedAt
  }

  message(message: Json): void {
    this.#endedAt = now()
    this.#blocks.push(...objectsOf(message.content))
    if (this.#isStreamed) return
    this.#read(message)
  }

  /** Takes the tokens of the answer, which a result tells of its only call. */
  answered(outputTokens: unknown): void {
    if (this.#isStreamed || this.#last === undefined) return
    const usage = isJson(this.#last.usage) ? this.#last.usage : {}
    this.#read({
      ...this.#last,
      stop_reason: this.#last.stop_reason ?? 'end_turn',
      usage: { ...usage, output_tokens: outputTokens },
    })
  }

  #read(message: Json): void {
    this.#last = message
    const { usage, stop_reason: reason } = message
    this.#answer.whole({
      ...message,
      model: message.model === NO_MODEL ? undefined : message.model,
      content: this.#blocks,
      // Those of the answer are counted in the end, and told only in events.
      usage: reason === null && isJson(usage) ? { ...usage, output_tokens: undefined } : usage,
    })
  }

  write(): void {
    const { model, message, usage, finishReason } = this.#answer.read()
    if (model !== undefined) this.step.name = `chat ${model}`
    const tokens = tokensOf(usage !== undefined && usage.total > 0 ? usage : undefined)
    describe(this.step, {
      type: 'CHAT',
      provider: anthropic.provider,
      model,
      messages: anthropic.ask({ messages: this.#asked }, '').messages,
      messageCompletion: message,
      ...tokens,
      ...timesOf(
        { startedAt: this.#startedAt, firstAt: this.#firstAt, endedAt: this.#endedAt },
        tokens.outputTokenCount,
      ),
    } as GenerationPayloadInput)
    if (finishReason !== undefined) this.step.metadata = { ...this.step.metadata, finishReason }
    this.step.stop(this.#endedAt)
  }
}
