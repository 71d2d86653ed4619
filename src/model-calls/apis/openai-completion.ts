import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { toldCost } from '../told-cost.js'
import { fromOpenAI } from '../usage/openai.js'
import { type Answer, type Answered, type Api, errorOf } from './api.js'
import { deploymentOf } from './openai-chat.js'

const NO_SETTING = new Set(['model', 'prompt'])

/** Completions of a text, the first API of OpenAI: those of Mistral for code (`fim`) have a `suffix` in their settings. */
export const openAICompletion: Api = {
  name: 'openai.completion',
  operation: 'text_completion',
  type: 'llm',
  provider: undefined,
  isRequest: ({ prompt }) => typeof prompt === 'string' || Array.isArray(prompt),
  ask: (body, path) => ({
    model: textOf(body.model) ?? deploymentOf(path),
    prompt: promptOf(body.prompt),
    settings: without(body, NO_SETTING),
  }),
  answer: () => new CompletionAnswer(),
  joinedOf: ({ choices }) => {
    const [choice, ...others] = objectsOf(choices)
    const text = textOf(choice?.text)
    if (text === undefined || others.length > 0) return undefined
    return choice?.delta === undefined && choice?.message === undefined
      ? { name: 'text', text }
      : undefined
  },
}

/** A prompt may be a list, of texts or of the numbers of tokens. */
const promptOf = (prompt: unknown): string => {
  if (typeof prompt === 'string') return prompt
  const [only, ...others] = Array.isArray(prompt) ? prompt : []
  return typeof only === 'string' && others.length === 0 ? only : JSON.stringify(prompt)
}

class CompletionAnswer implements Answer {
  hasContent = false
  isOver = false
  #id: string | undefined
  #model: string | undefined
  #error: string | undefined
  #finishReason: string | undefined
  #usage: Json | undefined
  readonly #texts: string[] = []

  whole(body: unknown): void {
    if (isJson(body)) this.event(body)
  }

  event(data: Json): void {
    this.#id = textOf(data.id) ?? this.#id
    this.#model = textOf(data.model) ?? this.#model
    if (isJson(data.usage)) this.#usage = data.usage
    if (data.error != null) this.#error = errorOf(data)
    for (const choice of objectsOf(data.choices)) {
      // Mistral answers in the form of a chat.
      const message = isJson(choice.delta) ? choice.delta : choice.message
      const text = textOf(choice.text) ?? (isJson(message) ? textOf(message.content) : undefined)
      const place = typeof choice.index === 'number' ? choice.index : 0
      if (text !== undefined && place >= 0 && place < MAX_CHOICES) {
        this.#texts[place] = (this.#texts[place] ?? '') + text
        this.hasContent = true
      }
      this.#finishReason = textOf(choice.finish_reason) ?? this.#finishReason
    }
  }

  read(): Answered {
    const [first, ...others] = this.#texts
    return {
      id: this.#id,
      model: this.#model,
      completion: first,
      output: others.length === 0 ? undefined : { choices: [...this.#texts] },
      finishReason: this.#finishReason,
      usage: this.#usage && fromOpenAI(this.#usage),
      cost: toldCost(this.#usage),
      error: this.#error,
    }
  }
}

const MAX_CHOICES = 1000
