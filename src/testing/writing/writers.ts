import { writeMessage } from './anthropic.js'
import { writeCandidate } from './gemini.js'
import { writeOllamaChat, writeOllamaText } from './ollama.js'
import { writeChat, writeCompletion, writeResponse } from './openai.js'
import type { Writer } from './writer.js'

/** The writers of answers, by the names of the APIs that the tap reads. */
const WRITERS: Readonly<Record<string, Writer>> = {
  'openai.chat': writeChat,
  'openai.completion': writeCompletion,
  'openai.responses': writeResponse,
  'anthropic.messages': writeMessage,
  'gemini.generate': writeCandidate,
  'ollama.chat': writeOllamaChat,
  'ollama.generate': writeOllamaText,
}

export const writerOf = (api: string): Writer | undefined =>
  Object.hasOwn(WRITERS, api) ? WRITERS[api] : undefined

/** Names the APIs whose answers can be written. */
export const WRITTEN_APIS = Object.keys(WRITERS).join(', ')
