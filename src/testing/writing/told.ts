import type { Usage } from '../../model-calls/usage/usage.js'
import { INPUT_PARTS, OUTPUT_PARTS, type Part } from '../../model-calls/usage/usage.js'
import { isPlain } from '../../values/fit.js'
import type { RecordedCall } from '../fixtures/read-fixture.js'

type Fields = Record<string, unknown>

/** A call of a tool in an answer. */
export interface ToldCall {
  readonly id: string
  readonly name: string
  /** JSON, as models write it. */
  readonly given: string
}

/** An answer that is to be written in the form of an API. */
export interface Told {
  readonly id: string
  readonly model: string
  /** The message as generations hold it. */
  readonly message: Fields
  readonly parts: readonly Fields[]
  readonly calls: readonly ToldCall[]
  readonly completion: string
  readonly usage: Usage | undefined
  /** Dollars, where the answer told them. */
  readonly cost: number | undefined
  readonly finishReason: string | undefined
}

/** Returns what a recorded call answered. */
export const toldOf = (call: RecordedCall, place: number): Told => {
  const message = call.answer ?? { role: 'assistant', content: call.completion ?? '' }
  return {
    id: call.responseId ?? `replayed-${place + 1}`,
    model: call.model ?? call.asked ?? 'unknown',
    message,
    parts: partsOf(message.content),
    calls: callsOf(message.tool_calls),
    completion: call.completion ?? textOf(message.content),
    usage: usageOfCall(call),
    cost: call.isCostTold === true ? call.cost : undefined,
    finishReason: call.finishReason,
  }
}

/** Usage of its parts, or of the sums alone, as recorders of other makes know them. */
const usageOfCall = (call: RecordedCall): Usage | undefined => {
  if (isPlain(call.usage)) return call.usage as unknown as Usage
  const { inputTokenCount: input, outputTokenCount: output, tokenCount } = call
  if (input === undefined && output === undefined && tokenCount === undefined) return undefined
  const known = (input ?? 0) + (output ?? 0)
  return {
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(tokenCount !== undefined && tokenCount > known ? { unexplained: tokenCount - known } : {}),
    total: tokenCount ?? known,
  }
}

/** Adds up parts of the tokens; undefined when none of them is known. */
export const sumOf = (usage: Usage, parts: readonly Part[]): number | undefined => {
  const known = parts.map((part) => usage[part]).filter((count) => typeof count === 'number')
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0)
}

export const inputOf = (usage: Usage): number | undefined => sumOf(usage, INPUT_PARTS)
export const outputOf = (usage: Usage): number | undefined => sumOf(usage, OUTPUT_PARTS)
export const writtenToCache = (usage: Usage): number | undefined =>
  sumOf(usage, ['cacheWrite', 'cacheWrite5m', 'cacheWrite1h'])

const partsOf = (content: unknown): Fields[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isPlain) : []
}

const textOf = (content: unknown): string =>
  partsOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')

const callsOf = (calls: unknown): ToldCall[] =>
  (Array.isArray(calls) ? calls.filter(isPlain) : []).map((call, place) => {
    const { name, arguments: given } = isPlain(call.function) ? call.function : call
    return {
      id: typeof call.id === 'string' ? call.id : `call-${place + 1}`,
      name: String(name),
      given: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    }
  })

/** Returns arguments as an object, for APIs that do not write them as a text. */
export const argumentsOf = ({ given }: ToldCall): unknown => {
  try {
    return JSON.parse(given)
  } catch {
    return {}
  }
}

/** Returns a copy without members that have no value. */
export const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
