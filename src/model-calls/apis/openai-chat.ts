import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { toldCost } from '../told-cost.js'
import { fromOpenAI } from '../usage/openai.js'
import { type Answer, type Answered, type Api, errorOf, type Message } from './api.js'
import { addDelta, onlyText, withoutIndexes } from './deltas.js'

const NO_SETTING = new Set(['model', 'messages', 'tools', 'functions'])

/** Chat completions: of OpenAI, and of everybody who has the same. */
export const openAIChat: Api = {
  name: 'openai.chat',
  operation: 'chat',
  type: 'llm',
  provider: undefined,
  isRequest: ({ messages }) => Array.isArray(messages),
  ask: (body, path) => ({
    model: textOf(body.model) ?? deploymentOf(path),
    messages: objectsOf(body.messages).map(withKnownRole),
    tools: listOf(body.tools) ?? listOf(body.functions),
    settings: without(body, NO_SETTING),
  }),
  answer: () => new ChatAnswer(),
  joinedOf: ({ choices }) => {
    const [choice, ...others] = objectsOf(choices)
    const delta = choice?.delta ?? choice?.message
    return others.length === 0 && isJson(delta) ? onlyText(delta) : undefined
  },
}

/** Returns the name of a deployment, by which Azure names models. */
export const deploymentOf = (path: string): string | undefined =>
  /\/deployments\/([^/]+)\//.exec(path)?.[1]

export const listOf = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value : undefined

/** Renames the one role that clients of the stored messages do not know. */
export const withKnownRole = (message: Message): Message =>
  message.role === 'developer' ? { ...message, role: 'system' } : message

class ChatAnswer implements Answer {
  hasContent = false
  isOver = false
  #id: string | undefined
  #model: string | undefined
  #error: string | undefined
  #usage: Json | undefined
  readonly #choices: { message: Json; finishReason: string | undefined }[] = []

  whole(body: unknown): void {
    if (!isJson(body)) return
    this.#read(body)
    for (const choice of objectsOf(body.choices))
      this.#choices.push({
        message: isJson(choice.message) ? choice.message : {},
        finishReason: textOf(choice.finish_reason),
      })
    this.hasContent = this.#choices.length > 0
  }

  event(data: Json): void {
    this.#read(data)
    for (const choice of objectsOf(data.choices)) {
      const place = typeof choice.index === 'number' ? choice.index : 0
      if (!(place >= 0 && place < MAX_CHOICES)) continue
      this.#choices[place] ??= { message: { role: 'assistant' }, finishReason: undefined }
      const known = this.#choices[place]
      if (known === undefined) continue
      const delta = choice.delta ?? choice.message
      if (isJson(delta)) {
        addDelta(known.message, delta)
        this.hasContent ||= isContent(delta)
      }
      known.finishReason = textOf(choice.finish_reason) ?? known.finishReason
    }
  }

  read(): Answered {
    const [first, ...others] = this.#choices.filter((choice) => choice !== undefined)
    return {
      id: this.#id,
      model: this.#model,
      message: first === undefined ? undefined : messageOf(first.message),
      output:
        others.length === 0
          ? undefined
          : { choices: [first, ...others].map((one) => messageOf(one?.message ?? {})) },
      finishReason: first?.finishReason,
      usage: this.#usage && fromOpenAI(this.#usage),
      cost: toldCost(this.#usage),
      error: this.#error,
    }
  }

  #read(body: Json): void {
    this.#id = textOf(body.id) ?? this.#id
    this.#model = textOf(body.model) ?? this.#model
    if (isJson(body.usage)) this.#usage = body.usage
    else if (isJson(body.x_groq) && isJson(body.x_groq.usage)) this.#usage = body.x_groq.usage
    if (body.error !== undefined && body.error !== null) this.#error = errorOf(body)
  }
}

const MAX_CHOICES = 1000

/** Returns true for a piece that says something: the first one often has the role alone. */
const isContent = (delta: Json): boolean => {
  for (const name in delta) {
    const value = delta[name]
    if (name !== 'role' && value !== null && value !== '' && value !== undefined) return true
  }
  return false
}

const messageOf = (message: Json): Message => ({ role: 'assistant', ...withoutIndexes(message) })
