import type { GenerationPayloadInput } from '../../../generated/schema.js'
import { fromLangChain } from '../../model-calls/usage/langchain.js'
import type { Step } from '../../tracing/step.js'
import { now } from '../../values/clock.js'
import { costIn, describe, type Tokens, timesOf, tokensIn, tokensOf } from '../shared/generation.js'
import { defined, isJson, type Json, objectsOf, textOf } from '../shared/json.js'
import { toMessage } from './messages.js'

/** Characters of a stream that are kept until its end, should it end early. */
const MAX_SO_FAR = 1_000_000

/** Members of the parameters that have places of their own. */
const NO_SETTING = new Set(['model', 'model_name', 'modelName', 'tools', '_type', 'messages'])

/** Of a model call, from its start on. */
export interface Started {
  /** The messages; undefined for a model that completes a text. */
  messages: readonly unknown[] | undefined
  /** The text to complete; undefined for a model with messages. */
  prompt: string | undefined
  extra: unknown
  metadata: unknown
}

/** A call of a model by LangChain, which writes itself into its step. */
export class ModelCall {
  readonly #step: Step
  readonly #startedAt = now()
  readonly #asked: GenerationPayloadInput
  #firstAt: number | undefined
  #text = ''
  /** The pieces of calls of tools, by their place. */
  readonly #calls = new Map<unknown, { id: unknown; name: string; args: string }>()

  constructor(step: Step, { messages, prompt, extra, metadata }: Started) {
    this.#step = step
    const told = isJson(metadata) ? metadata : {}
    const options = isJson(extra) ? extra : {}
    const parameters = isJson(options.invocation_params) ? options.invocation_params : {}
    this.#asked = defined({
      type: messages === undefined ? 'COMPLETION' : 'CHAT',
      provider: textOf(told.ls_provider),
      model:
        textOf(told.ls_model_name) ?? textOf(parameters.model) ?? textOf(parameters.model_name),
      messages: messages?.map(toMessage),
      prompt,
      tools:
        Array.isArray(parameters.tools) && parameters.tools.length > 0
          ? parameters.tools
          : undefined,
      settings: settingsOf(parameters),
    }) as GenerationPayloadInput
    // For the end of the process, and for streams that nobody reads to their end.
    step.recording.soFar = () => {
      this.#write({})
      return undefined
    }
  }

  /** Takes a piece of a stream. */
  token(text: unknown, fields: unknown): void {
    this.#firstAt ??= now()
    const chunk = isJson(fields) && isJson(fields.chunk) ? fields.chunk : {}
    const message = isJson(chunk.message) ? chunk.message : {}
    for (const piece of objectsOf(message.tool_call_chunks)) this.#piece(piece)
    if (typeof text === 'string' && this.#text.length < MAX_SO_FAR) this.#text += text
  }

  #piece({ index, id, name, args }: Json): void {
    const known = this.#calls.get(index) ?? { id: undefined, name: '', args: '' }
    if (known.args.length > MAX_SO_FAR) return
    known.id ??= id
    known.name += textOf(name) ?? ''
    known.args += textOf(args) ?? ''
    this.#calls.set(index, known)
  }

  end(output: unknown, isCached: boolean): void {
    const { generations, llmOutput } = isJson(output) ? output : ({} as Json)
    const lists = Array.isArray(generations) ? generations : []
    const answers = objectsOf(lists[0])
    const [first, ...others] = answers
    const message = isJson(first?.message) ? first.message : undefined
    const facts = isJson(message?.response_metadata) ? message.response_metadata : {}
    const ofAll = isJson(llmOutput) ? llmOutput : {}
    this.#write({
      ...(message === undefined
        ? { completion: textOf(first?.text) }
        : { messageCompletion: toMessage(message) }),
      model: textOf(facts.model_name) ?? textOf(facts.model) ?? this.#asked.model,
      ...(isCached ? {} : { ...usageOf(message, ofAll), ...costIn(facts.usage) }),
    })
    if (others.length > 0)
      this.#step.output ??= {
        choices: answers.map((one) => (isJson(one.message) ? toMessage(one.message) : one.text)),
      }
    const details = defined({
      finishReason: textOf(facts.finish_reason) ?? textOf(facts.stop_reason),
      cached: isCached ? true : undefined,
    })
    if (Object.keys(details).length > 0)
      this.#step.metadata = { ...this.#step.metadata, langchain: details }
  }

  failed(error: unknown): void {
    this.#step.error = error ?? 'failed without a reason'
    this.#write({})
  }

  #write(answered: GenerationPayloadInput): void {
    const soFar = this.#soFar()
    const whole = {
      ...this.#asked,
      ...(soFar && { messageCompletion: soFar }),
      ...defined(answered),
    }
    describe(this.#step, {
      ...whole,
      ...timesOf(
        { startedAt: this.#startedAt, firstAt: this.#firstAt, endedAt: now() },
        whole.outputTokenCount,
      ),
    })
  }

  #soFar(): Json | undefined {
    if (this.#text === '' && this.#calls.size === 0) return undefined
    return {
      role: 'assistant',
      content: this.#text === '' ? null : this.#text,
      ...(this.#calls.size === 0
        ? {}
        : {
            tool_calls: [...this.#calls.values()].map(({ id, name, args }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          }),
    }
  }
}

const settingsOf = (parameters: Json): Json | undefined => {
  const settings: Json = {}
  for (const name of Object.keys(parameters))
    if (!NO_SETTING.has(name) && parameters[name] !== undefined) settings[name] = parameters[name]
  return Object.keys(settings).length === 0 ? undefined : settings
}

/** Returns the tokens as the provider told them: estimates are left out. */
const usageOf = (message: Json | undefined, ofAll: Json): Tokens => {
  const usage = message?.usage_metadata
  return isJson(usage) ? tokensOf(fromLangChain(usage)) : tokensIn('ai-sdk', ofAll.tokenUsage)
}
