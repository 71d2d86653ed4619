import { permittedError } from '../../tracing/recording/permitted.js'
import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import { now } from '../../values/clock.js'
import { costIn, describe, timesOf, tokensIn } from '../shared/generation.js'
import type { Host } from '../shared/host.js'
import { defined, isJson, type Json, textOf } from '../shared/json.js'
import { Runs } from '../shared/runs.js'
import type { AnswerListener } from './answer-stream.js'
import { answerOf, answerOfParts, providerOf, toMessages } from './messages.js'

const SETTINGS = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
  'toolChoice',
]

type Generation = NonNullable<StepData['generation']>

/** Records the events of the AI SDK 7 as steps. An operation and what happens in it share an id. */
export class Operations {
  readonly #host: Host
  readonly #runs: Runs
  readonly #startedAt = new WeakMap<Step, number>()
  readonly #asked = new WeakMap<Step, Generation>()
  /** Errors that models told as parts of their answers. */
  readonly #erred = new WeakMap<Step, string | undefined>()

  constructor(host: Host) {
    this.#host = host
    this.#runs = new Runs(host)
  }

  /** Returns the step of the model call that an operation is waiting for. */
  call(id: string): Step | undefined {
    return this.#runs.step(callOf(id))
  }

  /** Returns a listener to the answer of a model call. Its end, and a failure of its stream, are told by events. */
  listenerOf(id: string, step: Step): AnswerListener {
    return {
      touch: () => {
        this.#runs.touch(callOf(id))
      },
      erred: (error) => {
        this.#erred.set(step, permittedError(step, error))
      },
      failed: () => {},
      cancelled: () => {},
    }
  }

  /** Returns the step of a tool that an operation runs. */
  tool(id: string, toolCallId: unknown): Step | undefined {
    return this.#runs.step(toolOf(id, toolCallId))
  }

  start(event: Json): void {
    const { callId, operationId, functionId } = event
    if (this.#runs.has(String(callId))) return
    this.#runs.open(String(callId), undefined, {
      name: textOf(functionId) ?? String(operationId).replace(/^ai\./, ''),
      input: recordsInputs(event) ? inputOf(event) : undefined,
    })
  }

  end(event: Json): void {
    const { callId, text, object, reasoningText, finalStep, ranking } = event
    this.#runs.close(String(callId), (step) => {
      if (!recordsOutputs(event)) return
      if (object !== undefined) step.output ??= object
      else if (ranking !== undefined) step.output ??= { ranking }
      else {
        const calls = isJson(finalStep) ? finalStep.toolCalls : undefined
        step.output ??= answerOf(text, reasoningText, calls)
      }
    })
  }

  /** Ends an operation with an error, and what is open in it. */
  failed({ callId, error }: Json): void {
    this.callFailed({ callId, error })
    this.#runs.close(String(callId), (step) => {
      step.error ??= error ?? 'failed without a reason'
    })
  }

  aborted({ callId, reason }: Json): void {
    this.failed({ callId, error: reason ?? 'aborted' })
  }

  callFailed({ callId, error }: Json): void {
    this.#runs.close(callOf(callId), (step) => {
      step.error ??= error ?? 'failed without a reason'
      this.#describe(step, this.#times(step, undefined, undefined))
    })
  }

  callStart(event: Json): void {
    const { instructions, messages } = event
    this.#openCall(event, 'llm', {
      type: 'CHAT',
      messages: [...systemMessages(instructions ?? event.system), ...toMessages(messages)],
      tools: Array.isArray(event.tools) && event.tools.length > 0 ? event.tools : undefined,
      settings: settingsOf(event),
    })
  }

  /** Begins the call of an operation for objects, which asks the model outside of any function given by telemetry. */
  objectStart(event: Json): void {
    const messages = toMessages(event.promptMessages)
    const step = this.#openCall(event, 'llm', {
      type: 'CHAT',
      messages,
      settings: settingsOf(event),
    })
    this.#host.enter(step)
  }

  callEnd(event: Json): void {
    const { callId, usage, content, objectText, finishReason, performance, response } = event
    this.#runs.close(callOf(callId), (step) => {
      // Another attempt at the stream may have been successful.
      if (finishReason === 'error') step.error ??= this.#erred.get(step)
      const counts = tokensIn('ai-sdk', usage)
      const first = isJson(performance) ? performance.timeToFirstOutputMs : undefined
      const answered = isJson(response) ? textOf(response.modelId) : undefined
      this.#describe(step, {
        model: answered ?? textOf(event.modelId),
        messageCompletion:
          answerOfParts(content) ?? answerOf(objectText, event.reasoning, undefined),
        ...counts,
        ...costIn(isJson(usage) ? usage.raw : undefined),
        ...this.#times(
          step,
          typeof first === 'number' ? first : undefined,
          counts.outputTokenCount,
        ),
      })
      if (textOf(finishReason) !== undefined) step.metadata = { ...step.metadata, finishReason }
    })
  }

  toolStart({ callId, toolCall }: Json): void {
    if (!isJson(toolCall)) return
    const { toolCallId, toolName, input } = toolCall
    if (this.#runs.has(toolOf(callId, toolCallId))) return
    this.#runs.open(toolOf(callId, toolCallId), String(callId), {
      type: 'tool',
      name: textOf(toolName) ?? 'tool',
      input,
    })
  }

  toolEnd({ callId, toolCall, toolOutput }: Json): void {
    if (!isJson(toolCall)) return
    this.#runs.close(toolOf(callId, toolCall.toolCallId), (step) => {
      if (!isJson(toolOutput)) return
      if (toolOutput.type === 'tool-error') step.error ??= toolOutput.error
      else step.output ??= toolOutput.output
    })
  }

  embedStart(event: Json): void {
    const step = this.#openCall(
      { ...event, callId: event.embedCallId },
      'embedding',
      {},
      event.callId,
    )
    if (recordsInputs(event)) step.input = { input: event.values }
    this.#host.enter(step)
  }

  embedEnd(event: Json): void {
    const { embedCallId, embeddings, usage } = event
    this.#runs.close(callOf(embedCallId), (step) => {
      if (Array.isArray(embeddings) && recordsOutputs(event))
        step.output ??= { embeddings: embeddings.length }
      const counts = tokensIn('ai-sdk', { inputTokens: isJson(usage) ? usage.tokens : undefined })
      this.#describe(step, { ...counts, ...this.#times(step, undefined, undefined) })
    })
  }

  rerankStart(event: Json): void {
    const { documents, query } = event
    const step = this.#openCall(event, 'rerank', {})
    if (recordsInputs(event)) step.input = { query, documents }
  }

  rerankEnd(event: Json): void {
    const { callId, ranking } = event
    this.#runs.close(callOf(callId), (step) => {
      if (recordsOutputs(event)) step.output ??= { ranking }
      this.#describe(step, this.#times(step, undefined, undefined))
    })
  }

  #openCall(
    event: Json,
    type: 'llm' | 'embedding' | 'rerank',
    generation: Generation,
    operation: unknown = event.callId,
  ): Step {
    const { callId, provider, modelId } = event
    // An integration that is given twice hears of everything twice.
    const known = this.#runs.running(callOf(callId))
    if (known !== undefined) return known
    const step = this.#runs.open(callOf(callId), String(operation), {
      type,
      name: `${type === 'llm' ? 'chat' : type} ${textOf(modelId) ?? ''}`.trim(),
    })
    step.recording.recordsInputs = recordsInputs(event)
    step.recording.recordsOutputs = recordsOutputs(event)
    this.#startedAt.set(step, now())
    const asked = defined({
      ...generation,
      ...(recordsInputs(event) ? {} : { messages: undefined }),
      provider: providerOf(provider),
      model: textOf(modelId),
    })
    this.#asked.set(step, asked as Generation)
    // For the end of the process, and for streams that nobody reads to their end.
    step.recording.soFar = () => {
      this.#describe(step, this.#times(step, undefined, undefined))
      return undefined
    }
    return step
  }

  /** Describes a call when it ends: a step that is described already is no longer filled in by `stepwell.fetch`. */
  #describe(step: Step, answered: Generation): void {
    describe(step, { ...this.#asked.get(step), ...defined(answered) })
  }

  #times(step: Step, firstMs: number | undefined, outputTokenCount: number | undefined) {
    const startedAt = this.#startedAt.get(step) ?? now()
    const firstAt = firstMs === undefined ? undefined : startedAt + firstMs
    return timesOf({ startedAt, firstAt, endedAt: now() }, outputTokenCount)
  }
}

/** Returns false when the settings of telemetry keep inputs out: the AI SDK empties them, and tells so. */
const recordsInputs = (event: Json): boolean => event.recordInputs !== false
const recordsOutputs = (event: Json): boolean => event.recordOutputs !== false

const inputOf = ({ messages, instructions, system, prompt, value, documents }: Json): Json => {
  const asked = messages ?? prompt
  return asked === undefined
    ? defined({ value, documents })
    : { ...systemOf(instructions ?? system), messages: toMessages(asked) }
}

const callOf = (id: unknown): string => `${String(id)}:call`
const toolOf = (id: unknown, toolCallId: unknown): string =>
  `${String(id)}:tool:${String(toolCallId)}`

const systemMessages = (instructions: unknown): Json[] => {
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }]
  return toMessages(
    Array.isArray(instructions) ? instructions : isJson(instructions) ? [instructions] : [],
  )
}

const systemOf = (instructions: unknown): Json =>
  instructions === undefined ? {} : { system: instructions }

const settingsOf = (event: Json): Json | undefined => {
  const settings: Json = {}
  for (const name of SETTINGS) if (event[name] !== undefined) settings[name] = event[name]
  return Object.keys(settings).length === 0 ? undefined : settings
}
