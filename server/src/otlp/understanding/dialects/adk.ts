// Attributes of the Agent Development Kit of Google, up to its version 1: requests to models and their answers in whole, in
// the form of Gemini.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { structure } from '../attributes.js'
import { asText, type Message, toCall } from '../messages.js'
import type { AsSent } from './as-sent.js'

const REQUEST = 'gcp.vertex.agent.llm_request'
const ANSWER = 'gcp.vertex.agent.llm_response'

/** Returns true for a call of a model. Spans of tools have the same attributes, empty. */
export const isCallOfAdk = (attributes: Attributes): boolean => {
  const request = attributes.get(REQUEST)
  return typeof request === 'string' && request.length > '{}'.length
}

/** Reads the request and the answer of a call; undefined when a span has none of this form. */
export const asSentByAdk = (attributes: Attributes): AsSent | undefined => {
  if (!isCallOfAdk(attributes)) return undefined
  const request = structure(attributes.get(REQUEST))
  if (!isObject(request)) return undefined
  const answer = structure(attributes.get(ANSWER))
  const { content, usage_metadata: counted, model_version: model } = isObject(answer) ? answer : {}
  const { system_instruction: instruction, ...config } = isObject(request.config)
    ? request.config
    : {}
  const tools = objects(config.tools).flatMap((tool) => objects(tool.function_declarations))
  const settings = Object.entries(config).filter(([name]) => !NO_SETTINGS.has(name))
  return {
    asked: [
      ...(typeof instruction === 'string' && instruction !== ''
        ? [{ role: 'system', content: instruction }]
        : []),
      ...objects(request.contents).flatMap(fromContent),
    ],
    tools: tools.length === 0 ? undefined : tools,
    answer: isObject(content) ? fromContent(content)[0] : undefined,
    model: typeof model === 'string' ? model : undefined,
    usage: isObject(counted) ? usageOf(counted) : undefined,
    settings: settings.length === 0 ? undefined : Object.fromEntries(settings),
  }
}

const objects = (list: unknown): Message[] => (Array.isArray(list) ? list.filter(isObject) : [])

/** Members of the configuration that are no settings of the model, or have a field of their own. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['http_options', 'tools', 'labels'])

/** Converts a content of Gemini; each result of a tool becomes a message of its own. */
const fromContent = ({ role, parts }: Message): Message[] => {
  const all = objects(parts)
  const calls = all.flatMap((part) => (isObject(part.function_call) ? [part.function_call] : []))
  const results = all.flatMap((part) =>
    isObject(part.function_response) ? [part.function_response] : [],
  )
  const thoughts = all.filter(({ thought }) => thought === true)
  const others = all.filter(
    (part) =>
      part.thought !== true && !isObject(part.function_call) && !isObject(part.function_response),
  )
  const isText = others.every(({ text }) => typeof text === 'string')
  const own: Message = {
    role: role === 'model' ? 'assistant' : (role ?? 'user'),
    content:
      others.length === 0 ? null : isText ? others.map(({ text }) => text).join('\n') : others,
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.map(({ text }) => text).join('\n') }),
    ...(calls.length === 0
      ? {}
      : { tool_calls: calls.map((call) => toCall({ ...call, arguments: call.args })) }),
  }
  return [
    ...results.map(({ id, name, response }) => ({
      role: 'tool',
      ...(id === undefined ? {} : { tool_call_id: id }),
      name,
      content: asText(response),
    })),
    ...(results.length > 0 && results.length === all.length ? [] : [own]),
  ]
}

/** Counts as OpenAI does: Gemini has thoughts beside its answer. */
const usageOf = (counted: Message): Message => {
  const numberAt = (name: string) => (typeof counted[name] === 'number' ? counted[name] : 0)
  const thoughts = numberAt('thoughts_token_count')
  return {
    prompt_tokens: counted.prompt_token_count,
    completion_tokens: numberAt('candidates_token_count') + thoughts,
    total_tokens: counted.total_token_count,
    prompt_tokens_details: { cached_tokens: counted.cached_content_token_count },
    completion_tokens_details: { reasoning_tokens: counted.thoughts_token_count },
  }
}
