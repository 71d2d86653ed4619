import type { GenerationPayloadInput } from '../../../generated/schema.js'
import type { Step } from '../../tracing/step.js'
import { now } from '../../values/clock.js'
import { answerOf, providerOf, toMessages } from '../ai-sdk/messages.js'
import { describe, type Tokens, timesOf, tokensIn } from '../shared/generation.js'
import { defined, isJson, type Json, jsonText, objectsOf, textOf } from '../shared/json.js'
import type { MastraSpan } from './spans.js'

/** The messages of one generation: those it began with, the model's answers, and the results of its tools. */
export class Dialog {
  #messages: Json[] = []
  #hasBegun = false
  #answer: Json | undefined
  #results: Json[] = []
  tools: unknown[] | undefined

  /** True when it began without messages: settings of Mastra keep them out. */
  get isWithoutInput(): boolean {
    return !this.#hasBegun
  }

  /** Takes the messages that a generation, or a step outside of all generations, begins with. */
  begin({ type, input, attributes }: MastraSpan): void {
    const tools = isJson(attributes) ? attributes.tools : undefined
    if (Array.isArray(tools) && tools.length > 0) this.tools = tools
    if (this.#messages.length > 0 || (type === 'model_step' && !Array.isArray(input))) return
    this.#messages = toMessages(isJson(input) ? input.messages : input)
    this.#hasBegun ||= this.#messages.length > 0
  }

  /** Returns the messages that the model is asked with next. */
  next(): Json[] {
    if (this.#answer !== undefined) this.#messages.push(this.#answer)
    this.#messages.push(...this.#results)
    this.#answer = undefined
    this.#results = []
    return [...this.#messages]
  }

  answered(message: Json | undefined): void {
    this.#answer = message
  }

  result({ attributes, output, errorInfo }: MastraSpan): void {
    const { toolCallId: id } = isJson(attributes) ? attributes : {}
    const content = errorInfo === undefined ? jsonText(output) : errorInfo.message
    this.#results.push({ role: 'tool', tool_call_id: id, content })
  }
}

/** A call of a model by Mastra, which writes itself into its step. */
export class ModelCall {
  hasFailed = false
  readonly #step: Step
  readonly #dialog: Dialog
  readonly #messages: Json[]
  readonly #startedAt: number
  #span: MastraSpan
  #pieces: Json[] = []

  constructor(step: Step, dialog: Dialog, span: MastraSpan) {
    this.#step = step
    this.#dialog = dialog
    this.#messages = dialog.next()
    this.#span = span
    this.#startedAt = span.startTime.getTime()
    // For the end of the process, and for streams that nobody reads to their end.
    step.recording.soFar = () => {
      this.#write()
      return undefined
    }
  }

  /** Takes a piece of an answer: a text, thoughts or the call of a tool. */
  piece(piece: Json): void {
    this.#pieces.push(piece)
  }

  end(span: MastraSpan): void {
    this.#span = span
    this.#write()
  }

  #write(): void {
    const { attributes, output, endTime } = this.#span
    const facts = isJson(attributes) ? attributes : {}
    const asked = textOf(facts.model)
    const model = textOf(facts.responseModel) ?? asked
    if (model !== undefined) this.#step.name = `chat ${asked ?? model}`
    const message = answerIn(output) ?? answerOfPieces(this.#pieces)
    this.#dialog.answered(message)
    const tokens = usageOf(facts.usage)
    const first = facts.completionStartTime
    const { recordsInputs } = this.#step.recording
    describe(this.#step, {
      type: 'CHAT',
      provider: providerOf(facts.provider),
      model,
      ...(recordsInputs ? { messages: this.#messages, tools: this.#dialog.tools } : {}),
      messageCompletion: message,
      settings: settingsOf(facts),
      ...tokens,
      ...timesOf(
        {
          startedAt: this.#startedAt,
          firstAt: first instanceof Date ? first.getTime() : undefined,
          endedAt: endTime?.getTime() ?? now(),
        },
        tokens.outputTokenCount,
      ),
    } as GenerationPayloadInput)
    const { finishReason } = facts
    this.hasFailed = finishReason === 'error' || finishReason === undefined
    if (textOf(finishReason) !== undefined)
      this.#step.metadata = { ...this.#step.metadata, finishReason }
  }
}

const callsIn = (calls: readonly Json[]): Json[] =>
  calls.map(({ toolCallId, toolName, args, input, toolInput }) => ({
    toolCallId,
    toolName,
    input: input ?? args ?? toolInput,
  }))

const answerIn = (output: unknown): Json | undefined =>
  isJson(output)
    ? answerOf(output.text, output.reasoningText, callsIn(objectsOf(output.toolCalls)))
    : undefined

const answerOfPieces = (pieces: readonly Json[]): Json | undefined => {
  const texts = pieces.map(({ text }) => text).filter((text) => typeof text === 'string')
  const calls = pieces.filter(({ toolName }) => toolName !== undefined)
  return answerOf(texts.join(''), undefined, callsIn(calls))
}

const settingsOf = ({ parameters, toolChoice, responseFormat }: Json): Json | undefined => {
  const settings = defined({
    ...(isJson(parameters) ? parameters : {}),
    tool_choice: toolChoice,
    response_format: responseFormat,
  })
  return Object.keys(settings).length === 0 ? undefined : settings
}

/** Returns the tokens of a call. Mastra divides them as the AI SDK does, under names of its own. */
const usageOf = (usage: unknown): Tokens => {
  const { inputTokens, outputTokens, inputDetails, outputDetails } = isJson(usage) ? usage : {}
  if (inputTokens === undefined && outputTokens === undefined) return {}
  const { cacheRead, cacheWrite } = isJson(inputDetails) ? inputDetails : {}
  const { reasoning } = isJson(outputDetails) ? outputDetails : {}
  return tokensIn('ai-sdk', {
    inputTokens: { total: inputTokens, cacheRead, cacheWrite },
    outputTokens: { total: outputTokens, reasoning },
  })
}
