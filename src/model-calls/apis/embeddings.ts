import { isJson, type Json, textOf, without } from '../json.js'
import { toldCost } from '../told-cost.js'
import { fromGemini } from '../usage/gemini.js'
import { fromOpenAI } from '../usage/openai.js'
import { fromCohere, fromOllama } from '../usage/others.js'
import type { Usage } from '../usage/usage.js'
import { type Answer, type Answered, type Api, errorOf } from './api.js'
import { deploymentOf } from './openai-chat.js'

interface Form {
  name: string
  provider: string | undefined
  usage: (told: Json) => Usage | undefined
  /** Returns the input of a request; undefined for a body that is no request. */
  input: (body: Json) => unknown
  /** Returns the vectors of an answer. */
  vectors: (body: Json) => unknown
  usageOf: (body: Json) => unknown
  modelOf?: (path: string) => string | undefined
}

const NO_SETTING = new Set([
  'model',
  'input',
  'prompt',
  'texts',
  'inputs',
  'images',
  'content',
  'requests',
])

/** The vectors themselves are not kept: their number and length are. */
const embeddings = (form: Form): Api => ({
  name: form.name,
  operation: 'embeddings',
  type: 'embedding',
  provider: form.provider,
  isRequest: (body) => form.input(body) !== undefined,
  ask: (body, path) => ({
    model: textOf(body.model) ?? form.modelOf?.(path) ?? deploymentOf(path),
    settings: without(body, NO_SETTING),
    input: { input: form.input(body) },
  }),
  answer: () => new EmbeddingAnswer(form),
})

class EmbeddingAnswer implements Answer {
  hasContent = false
  readonly isOver = false
  readonly #form: Form
  #answered: Answered = {}

  constructor(form: Form) {
    this.#form = form
  }

  whole(body: unknown): void {
    if (!isJson(body)) return
    const vectors = this.#form.vectors(body)
    const usage = this.#form.usageOf(body)
    const list = Array.isArray(vectors) ? vectors : []
    const [first] = list
    const vector = isJson(first) ? (first.embedding ?? first.values) : first
    this.#answered = {
      model: textOf(body.model),
      output: {
        embeddings: list.length,
        ...(Array.isArray(vector) ? { dimensions: vector.length } : {}),
      },
      usage: isJson(usage) ? this.#form.usage(usage) : undefined,
      cost: isJson(usage) ? toldCost(usage) : undefined,
      error: body.error == null ? undefined : errorOf(body),
    }
    this.hasContent = true
  }

  event(data: Json): void {
    this.whole(data)
  }

  read(): Answered {
    return this.#answered
  }
}

export const openAIEmbeddings = embeddings({
  name: 'openai.embeddings',
  provider: undefined,
  usage: fromOpenAI,
  input: ({ input }) => (typeof input === 'string' || Array.isArray(input) ? input : undefined),
  vectors: ({ data }) => data,
  usageOf: ({ usage }) => usage,
})

export const ollamaEmbeddings = embeddings({
  name: 'ollama.embeddings',
  provider: 'ollama',
  usage: fromOllama,
  input: ({ model, input, prompt }) => (typeof model === 'string' ? (input ?? prompt) : undefined),
  vectors: (body) => body.embeddings ?? (body.embedding === undefined ? [] : [body.embedding]),
  usageOf: (body) => body,
})

export const cohereEmbeddings = embeddings({
  name: 'cohere.embeddings',
  provider: 'cohere',
  usage: fromCohere,
  input: (body) =>
    typeof body.model === 'string' ? (body.texts ?? body.inputs ?? body.images) : undefined,
  vectors: ({ embeddings: found }) => (isJson(found) ? Object.values(found)[0] : found),
  usageOf: ({ meta }) => meta,
})

/** Returns the model that a path of Google names. */
export const googleModel = (path: string): string | undefined =>
  /\/models\/([^/:]+):/.exec(path)?.[1]

export const geminiEmbeddings = embeddings({
  name: 'gemini.embeddings',
  provider: 'google',
  usage: fromGemini,
  input: ({ content, requests }) =>
    isJson(content) || Array.isArray(requests) ? (content ?? requests) : undefined,
  vectors: (body) => body.embeddings ?? (body.embedding === undefined ? [] : [body.embedding]),
  usageOf: ({ usageMetadata }) => usageMetadata,
  modelOf: googleModel,
})
