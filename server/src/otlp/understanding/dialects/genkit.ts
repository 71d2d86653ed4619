// Attributes of Genkit: the input and the output of each action in whole, in a form of its own.
import { isObject } from '../../../domain/values.js'
import type { Attributes } from '../../encoding/schema.js'
import { firstText, structure } from '../attributes.js'
import { asText, type Message, toCall } from '../messages.js'
import type { AsSent } from './as-sent.js'

/** The kind of an action: a model, a tool, a flow. */
export const ACTION_KIND = 'genkit:metadata:subtype'
export const ACTION_INPUT = 'genkit:input'
export const ACTION_OUTPUT = 'genkit:output'

/** Returns the parts of the name of a model or embedder: `openai/gpt-4o` is of the provider `openai`. */
export const modelOfGenkit = (
  attributes: Attributes,
): { provider?: string; model?: string } | undefined => {
  const name = attributes.has(ACTION_KIND) ? firstText(attributes, 'genkit:name') : undefined
  if (name === undefined) return undefined
  const [, provider, model = name] = /^([^/]+)\/(.+)$/s.exec(name) ?? []
  return { ...(provider === undefined ? {} : { provider }), model }
}

/** Reads the request and the answer of a model; undefined when a span is of another kind. */
export const asSentByGenkit = (attributes: Attributes): AsSent | undefined => {
  if (!/model$/.test(firstText(attributes, ACTION_KIND) ?? '')) return undefined
  const request = objectAt(attributes, ACTION_INPUT)
  const { candidates, ...response } = objectAt(attributes, ACTION_OUTPUT)
  const { message, finishReason } =
    'message' in response ? response : (objects(candidates)[0] ?? {})
  const config = isObject(request.config) ? request.config : {}
  const settings = Object.entries(config).filter(([name]) => !NO_SETTINGS.has(name))
  const tools = objects(request.tools).map(toTool)
  const [answer] = isObject(message) ? fromMessage(message) : []
  return {
    asked: objects(request.messages).flatMap(fromMessage),
    tools: tools.length === 0 ? undefined : tools,
    answer: answer && {
      ...answer,
      ...(typeof finishReason === 'string' ? { finish_reason: finishReason } : {}),
    },
    model: undefined,
    usage: isObject(response.usage) ? usageOf(response.usage) : undefined,
    settings: settings.length === 0 ? undefined : Object.fromEntries(settings),
  }
}

/** Returns `{texts}`, which become vectors; undefined when a span is of another kind. */
export const embeddedByGenkit = (attributes: Attributes): Record<string, unknown> | undefined => {
  if (firstText(attributes, ACTION_KIND) !== 'embedder') return undefined
  const texts = objects(objectAt(attributes, ACTION_INPUT).input).map(
    ({ content }) => contentOf(objects(content)) ?? '',
  )
  return texts.length === 0 ? undefined : { texts }
}

/** Members of the configuration that are no settings of the model. */
const NO_SETTINGS: ReadonlySet<string> = new Set(['apiKey', 'version'])

const objectAt = (attributes: Attributes, name: string): Message => {
  const value = structure(attributes.get(name))
  return isObject(value) ? value : {}
}

const objects = (list: unknown): Message[] => (Array.isArray(list) ? list.filter(isObject) : [])

const toTool = ({ name, description, inputSchema }: Message): Message => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
})

/** Converts a message; each result of a tool becomes a message of its own. */
const fromMessage = ({ role, content }: Message): Message[] => {
  const parts = objects(content)
  const calls = parts.flatMap(({ toolRequest }) => (isObject(toolRequest) ? [toolRequest] : []))
  const results = parts.flatMap(({ toolResponse }) =>
    isObject(toolResponse) ? [toolResponse] : [],
  )
  const thoughts = parts.flatMap(({ reasoning }) =>
    typeof reasoning === 'string' ? [reasoning] : [],
  )
  const others = parts.filter(
    (part) => !('toolRequest' in part || 'toolResponse' in part || 'reasoning' in part),
  )
  const own: Message = {
    role: role === 'model' ? 'assistant' : (role ?? 'user'),
    content: contentOf(others),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join('\n') }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ ref, name, input }) =>
            toCall({ id: ref, name, arguments: input }),
          ),
        }),
  }
  return [
    ...results.map(({ ref, name, output }) => ({
      role: 'tool',
      ...(ref === undefined ? {} : { tool_call_id: ref }),
      name,
      content: asText(output),
    })),
    ...(results.length > 0 && results.length === parts.length ? [] : [own]),
  ]
}

/** Returns a text if the parts are texts only, else the parts, pictures as the API of OpenAI has them. */
const contentOf = (parts: readonly Message[]): unknown => {
  if (parts.length === 0) return null
  if (parts.every(({ text }) => typeof text === 'string'))
    return parts.map(({ text }) => text).join('\n')
  return parts.map((part) => {
    if (typeof part.text === 'string') return { type: 'text', text: part.text }
    const { media } = part
    return isObject(media) ? { type: 'image_url', image_url: { url: media.url } } : part
  })
}

/** Counts as OpenAI does: most plugins have thoughts beside the answer, as Gemini does. */
const usageOf = (counted: Message): Message => {
  const numberAt = (name: string) => (typeof counted[name] === 'number' ? counted[name] : 0)
  const [input, output, thoughts] = ['inputTokens', 'outputTokens', 'thoughtsTokens'].map(numberAt)
  const isWithin = numberAt('totalTokens') === (input ?? 0) + (output ?? 0)
  return {
    prompt_tokens: counted.inputTokens,
    completion_tokens:
      counted.outputTokens === undefined
        ? undefined
        : (output ?? 0) + (isWithin ? 0 : (thoughts ?? 0)),
    total_tokens: counted.totalTokens,
    prompt_tokens_details: { cached_tokens: counted.cachedContentTokens },
    completion_tokens_details: { reasoning_tokens: counted.thoughtsTokens },
  }
}
