import type { GenerationPayloadInput } from '../../../generated/schema.js'
import type { Step } from '../../tracing/step.js'
import type { StepData } from '../../tracing/step-data.js'
import { type CallTimes, describe, timesOf, tokensIn } from '../shared/generation.js'
import { isJson, type Json, objectsOf, parsedOr, textOf } from '../shared/json.js'
import { answerOf, providerOf, toMessages } from './messages.js'
import type { Attributes } from './open-telemetry.js'

/** Returns the step that a span begins. */
export const beginOf = (name: string, attributes: Attributes): StepData => {
  const operation = textOf(attributes['ai.operationId']) ?? name
  const model = textOf(attributes['ai.model.id'])
  const type = typeOf(operation)
  const metadata = metadataOf(attributes)
  if (type === 'tool')
    return {
      type,
      name: textOf(attributes['ai.toolCall.name']) ?? 'tool',
      input: structure(attributes['ai.toolCall.args']),
      metadata,
    }
  if (type === 'undefined')
    return {
      name: textOf(attributes['ai.telemetry.functionId']) ?? operation.replace(/^ai\./, ''),
      input: inputOf(attributes),
      metadata,
    }
  return { type, name: `${type === 'llm' ? 'chat' : type} ${model ?? ''}`.trim(), metadata }
}

const typeOf = (operation: string): 'llm' | 'embedding' | 'rerank' | 'tool' | 'undefined' => {
  if (/\.do(Generate|Stream)$/.test(operation)) return 'llm'
  if (/\.doEmbed$/.test(operation)) return 'embedding'
  if (/\.doRerank$/.test(operation)) return 'rerank'
  return operation === 'ai.toolCall' ? 'tool' : 'undefined'
}

const structure = (value: unknown): unknown => (typeof value === 'string' ? parsedOr(value) : value)

/** Texts of a list that are each the JSON of one value. */
const structures = (value: unknown): unknown[] | undefined =>
  Array.isArray(value) && value.length > 0 ? value.map(structure) : undefined

const inputOf = (attributes: Attributes): unknown => {
  const prompt = structure(attributes['ai.prompt'])
  if (isJson(prompt))
    return Array.isArray(prompt.messages)
      ? { ...prompt, messages: toMessages(prompt.messages) }
      : prompt
  const values = structures(attributes['ai.values'] ?? attributes['ai.documents'])
  return prompt ?? values ?? structure(attributes['ai.value'])
}

/** Returns false for the attributes of a call whose inputs are kept out of telemetry. */
export const hasInputs = (attributes: Attributes): boolean =>
  ['ai.prompt.messages', 'ai.values', 'ai.documents'].some((name) => name in attributes)

const PREFIX = 'ai.telemetry.metadata.'

/** Returns what the application told with the call. */
const metadataOf = (attributes: Attributes): Json | undefined => {
  const metadata: Json = {}
  for (const name of Object.keys(attributes))
    if (name.startsWith(PREFIX)) metadata[name.slice(PREFIX.length)] = attributes[name]
  return Object.keys(metadata).length === 0 ? undefined : metadata
}

/** Writes what is known of a span into its step. */
export const write = (step: Step, attributes: Attributes, times: CallTimes): void => {
  if (step.type === 'tool') step.output ??= structure(attributes['ai.toolCall.result'])
  else if (step.type === 'llm') writeCall(step, attributes, times)
  else if (step.type === 'embedding') writeEmbedding(step, attributes, times)
  else if (step.type === 'rerank') {
    const documents = structures(attributes['ai.documents'])
    const ranking = structures(attributes['ai.ranking'])
    if (documents !== undefined) step.input ??= { documents }
    if (ranking !== undefined) step.output ??= { ranking }
  } else step.output ??= outputOf(attributes)
}

const outputOf = (attributes: Attributes): unknown => {
  const object = attributes['ai.response.object']
  if (object !== undefined) return structure(object)
  return answerOf(
    attributes['ai.response.text'],
    attributes['ai.response.reasoning'],
    structure(attributes['ai.response.toolCalls']),
  )
}

const SETTINGS = /^gen_ai\.request\.(?!model$)(.+)$/

const settingsOf = (attributes: Attributes): Json | undefined => {
  const settings: Json = {}
  for (const name of Object.keys(attributes)) {
    const [, setting] = SETTINGS.exec(name) ?? []
    if (setting !== undefined && attributes[name] !== undefined)
      settings[setting] = attributes[name]
  }
  const choice = structure(attributes['ai.prompt.toolChoice'])
  if (choice !== undefined) settings.tool_choice = choice
  return Object.keys(settings).length === 0 ? undefined : settings
}

const USAGE = 'ai.usage.'

/** Returns the usage of a call, without the prefix of its attributes. */
const usageOf = (attributes: Attributes): Json => {
  const usage: Json = {}
  for (const name of Object.keys(attributes))
    if (name.startsWith(USAGE)) usage[name.slice(USAGE.length)] = attributes[name]
  return usage
}

const writeCall = (step: Step, attributes: Attributes, times: CallTimes): void => {
  const asked = structure(attributes['ai.prompt.messages'])
  const object = attributes['ai.response.object']
  const usage = tokensIn('ai-sdk', usageOf(attributes))
  const generation: GenerationPayloadInput = {
    type: 'CHAT',
    provider: providerOf(attributes['ai.model.provider']),
    model: textOf(attributes['ai.response.model']) ?? textOf(attributes['ai.model.id']),
    messages: Array.isArray(asked) ? toMessages(asked) : undefined,
    messageCompletion: answerOf(
      attributes['ai.response.text'] ?? object,
      attributes['ai.response.reasoning'],
      objectsOf(structure(attributes['ai.response.toolCalls'])),
    ),
    tools: structures(attributes['ai.prompt.tools']),
    settings: settingsOf(attributes),
    ...usage,
    ...timesOf(times, usage.outputTokenCount),
  }
  describe(step, generation)
  const reason = textOf(attributes['ai.response.finishReason'])
  if (reason !== undefined) step.metadata = { ...step.metadata, finishReason: reason }
}

const writeEmbedding = (step: Step, attributes: Attributes, times: CallTimes): void => {
  const values = structures(attributes['ai.values'])
  const made = attributes['ai.embeddings']
  if (values !== undefined) step.input ??= { input: values }
  if (Array.isArray(made)) step.output ??= { embeddings: made.length }
  describe(step, {
    type: 'COMPLETION',
    provider: providerOf(attributes['ai.model.provider']),
    model: textOf(attributes['ai.model.id']),
    ...tokensIn('ai-sdk', { inputTokens: attributes['ai.usage.tokens'] }),
    ...timesOf(times, undefined),
  })
}
