import { isJson, type Json, objectsOf, textOf, without } from '../json.js'
import { fromGemini } from '../usage/gemini.js'
import { mergedRaw } from '../usage/usage.js'
import { type Answer, type Answered, type Api, errorOf, type Message } from './api.js'
import { Gathered } from './blocks.js'
import { googleModel } from './embeddings.js'
import { listOf } from './openai-chat.js'

const NO_SETTING = new Set([
  'model',
  'contents',
  'tools',
  'systemInstruction',
  'system_instruction',
])

/** The API of Gemini, at its own host and in Google's cloud. */
export const gemini: Api = {
  name: 'gemini.generate',
  operation: 'chat',
  type: 'llm',
  provider: 'google',
  isRequest: ({ contents }) => Array.isArray(contents) || isJson(contents),
  ask: (body, path) => {
    const instruction = body.systemInstruction ?? body.system_instruction
    const contents = isJson(body.contents) ? [body.contents] : objectsOf(body.contents)
    return {
      model: googleModel(path) ?? textOf(body.model),
      messages: [
        ...(isJson(instruction) ? messagesOf({ ...instruction, role: 'system' }) : []),
        ...contents.flatMap(messagesOf),
      ],
      tools: listOf(body.tools),
      settings: without(body, NO_SETTING),
    }
  },
  answer: () => new GeminiAnswer(),
  joinedOf: ({ candidates, usageMetadata: usage }) => {
    const [candidate, ...others] = objectsOf(candidates)
    if (others.length > 0 || !isJson(candidate?.content)) return undefined
    const [part, ...more] = objectsOf(candidate.content.parts)
    const text = more.length > 0 ? undefined : textOf(part?.text)
    if (text === undefined) return undefined
    return { name: 'text', text, ...(isJson(usage) ? { counts: usage } : {}) }
  },
}

const messagesOf = ({ role, parts }: Json): Message[] =>
  gathered(objectsOf(parts)).messages(role === 'model' ? 'assistant' : (textOf(role) ?? 'user'))

const gathered = (parts: readonly Json[]): Gathered => {
  const found = new Gathered()
  for (const part of parts) {
    const { text, thought, functionCall, functionResponse, inlineData } = part
    if (typeof text === 'string')
      if (thought === true) found.part({ type: 'thinking', thinking: text })
      else found.text(text)
    else if (isJson(functionCall)) found.call(functionCall.id, functionCall.name, functionCall.args)
    else if (isJson(functionResponse))
      found.answer(functionResponse.id, functionResponse.response, { name: functionResponse.name })
    else if (isJson(inlineData) && /^image\//.test(String(inlineData.mimeType)))
      found.image(`data:${inlineData.mimeType};base64,${inlineData.data}`)
    else found.part(part)
  }
  return found
}

class GeminiAnswer implements Answer {
  hasContent = false
  isOver = false
  #id: string | undefined
  #model: string | undefined
  #error: string | undefined
  #usage: Json | undefined
  readonly #candidates: { parts: Json[]; finishReason: string | undefined }[] = []

  /** Reads one answer, or a list of pieces: streams come so when nothing else is asked for. */
  whole(body: unknown): void {
    if (isJson(body)) this.event(body)
    else for (const one of objectsOf(body)) this.event(one)
  }

  event(data: Json): void {
    this.#id = textOf(data.responseId) ?? this.#id
    this.#model = textOf(data.modelVersion) ?? this.#model
    if (isJson(data.usageMetadata)) this.#usage = mergedRaw(this.#usage, data.usageMetadata)
    if (data.error != null) {
      this.#error = errorOf(data)
      this.isOver = true
    }
    const { promptFeedback } = data
    if (isJson(promptFeedback) && promptFeedback.blockReason !== undefined)
      this.#error = `the prompt was blocked: ${promptFeedback.blockReason}`
    for (const candidate of objectsOf(data.candidates)) {
      const place = typeof candidate.index === 'number' ? candidate.index : 0
      if (!(place >= 0 && place < MAX_CANDIDATES)) continue
      this.#candidates[place] ??= { parts: [], finishReason: undefined }
      const known = this.#candidates[place]
      if (known === undefined) continue
      known.finishReason = textOf(candidate.finishReason) ?? known.finishReason
      if (!isJson(candidate.content)) continue
      for (const part of objectsOf(candidate.content.parts)) this.#add(known.parts, part)
    }
  }

  read(): Answered {
    const [first, ...others] = this.#candidates.filter((candidate) => candidate !== undefined)
    const messages = [first, ...others].map((one) =>
      one === undefined || one.parts.length === 0
        ? undefined
        : gathered(one.parts).message('assistant'),
    )
    return {
      id: this.#id,
      model: this.#model,
      message: messages[0],
      output: others.length === 0 ? undefined : { choices: messages },
      finishReason: first?.finishReason,
      usage: this.#usage && fromGemini(this.#usage),
      error: this.#error,
    }
  }

  /** Adds a part; pieces of a text, or of a thought, become one. */
  #add(parts: Json[], part: Json): void {
    this.hasContent = true
    const last = parts.at(-1)
    const isPiece =
      typeof part.text === 'string' &&
      typeof last?.text === 'string' &&
      (part.thought === true) === (last.thought === true)
    if (!isPiece) parts.push({ ...part })
    else if (last !== undefined) Object.assign(last, { ...part, text: `${last.text}${part.text}` })
  }
}

const MAX_CANDIDATES = 1000
