import type { Json } from '../json.js'
import type { Usage } from '../usage/usage.js'

/** A message as generations hold it: `role`, `content`, `tool_calls` and others of the provider. */
export type Message = Json

/** The values of a request that a generation holds. */
export interface Asked {
  model?: string | undefined
  messages?: Message[] | undefined
  /** The text of a completion. */
  prompt?: string | undefined
  tools?: unknown[] | undefined
  settings?: Json | undefined
  /** The input of a call that has no messages, such as an embedding. */
  input?: unknown
}

/** The values of an answer, as far as they have come. */
export interface Answered {
  id?: string | undefined
  model?: string | undefined
  message?: Message | undefined
  /** The text of a completion. */
  completion?: string | undefined
  /** Anything that a generation has no place for, such as further choices. */
  output?: unknown
  finishReason?: string | undefined
  usage?: Usage | undefined
  /** The dollars that the provider told of. */
  cost?: number | undefined
  /** The error that the provider told of, also within a stream. */
  error?: string | undefined
}

/** Reads one answer: whole, or event by event. */
export interface Answer {
  /** Reads an answer that came in one piece. */
  whole(body: unknown): void
  /** Reads an event of a stream. */
  event(data: Json): void
  /** True once something of the answer's content has come. */
  hasContent: boolean
  /** True once the provider has said that nothing more will come. */
  isOver: boolean
  /** Returns what has come so far. */
  read(): Answered
}

/** The text of an event that is added to the one before, and the name of its member. */
export interface Joined {
  name: string
  text: string
  /** Numbers of the event of which the largest ever told counts. */
  counts?: Json
}

/** Returns the only text by which an event adds to an answer; undefined for an event that may do more. */
export type JoinedOf = (event: Json) => Joined | undefined

/** A way to ask models that providers share. */
export interface Api {
  /** Its name, as `openai.chat`. */
  name: string
  /** The operation that names a step. */
  operation: string
  type: 'llm' | 'embedding'
  /** The provider that alone has this API; undefined when many do. */
  provider: string | undefined
  /** Tells a request by the shape of its body. */
  isRequest(body: Json): boolean
  ask(body: Json, path: string): Asked
  answer(): Answer
  /**
   * Tells events of which several, that differ in that text and in its counts alone, say the same as one with all of their texts. Such an
   * event has content. Absent where there are none.
   */
  joinedOf?: JoinedOf
}

/** Returns the text of an error in the forms of all providers; undefined when a body has none. */
export const errorOf = (body: unknown): string | undefined => {
  const given = Array.isArray(body) ? body[0] : body
  if (typeof given !== 'object' || given === null) return undefined
  const { error, message, detail, type } = given as Json
  if (typeof error === 'string') return error
  if (typeof error === 'object' && error !== null) {
    const { message: inner, type: kind, code, status } = error as Json
    const name = [kind, status, code].find((one) => typeof one === 'string' && one !== '')
    if (typeof inner === 'string') return name === undefined ? inner : `${name}: ${inner}`
    return JSON.stringify(error)
  }
  if (typeof message === 'string') return typeof type === 'string' ? `${type}: ${message}` : message
  return detail === undefined
    ? undefined
    : typeof detail === 'string'
      ? detail
      : JSON.stringify(detail)
}
